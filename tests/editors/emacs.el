;;; emacs.el --- what a user does in Emacs with editors/emacs/leat.el, run by editors.rs  -*- lexical-binding: t -*-

;; src/main.sml of the project is opened here. A line for each result.

(defun say (what text)
  (princ (format "%s: %s\n" what (replace-regexp-in-string "[ \n]+" " " (format "%s" text)))))

(defun wait-for (condition)
  (let ((end (+ (float-time) 20)))
    (while (and (not (funcall condition)) (< (float-time) end))
      (accept-process-output nil 0.05))))

(defun messages ()
  (flymake-start)
  (mapconcat (lambda (d)
               (format "%d: %s" (line-number-at-pos (flymake-diagnostic-beg d))
                       (replace-regexp-in-string "^leat \\[[^]]*\\]: " ""
                                         (car (split-string (flymake-diagnostic-text d) "\n")))))
             (flymake-diagnostics) " | "))

(defun go-to (text)
  (goto-char (point-min))
  (let ((case-fold-search nil)) (search-forward text))
  (goto-char (match-beginning 0)))

(defun file-type () (replace-regexp-in-string "\\`leat-\\|-mode\\'" "" (symbol-name major-mode)))

(defun line () (buffer-substring-no-properties (line-beginning-position) (line-end-position)))

(defun ask (method)
  (jsonrpc-request (eglot-current-server) method (eglot--TextDocumentPositionParams)))

;; Each file has its own folder as the default one.
(defconst project default-directory)

(condition-case why
    (progn
      ;; Yes, the edits of a renaming are made.
      (fset 'y-or-n-p (lambda (&rest _) t))
      (setq eglot-sync-connect t eglot-confirm-server-initiated-edits nil make-backup-files nil
            eglot-connect-timeout 20 flymake-no-changes-timeout 0)
      (find-file "src/main.sml")
      (say "file type" (file-type))
      (unless (eglot-current-server) (call-interactively #'eglot))
      (wait-for (lambda () (not (string= (messages) ""))))
      (say "message" (messages))
      (go-to "wrods")
      (delete-char 5)
      (insert "words")
      (eglot--signal-textDocument/didChange)
      (say "typed" (line))
      (wait-for (lambda () (string= (messages) "")))
      (say "mended" (if (string= (messages) "") "true" (messages)))
      (go-to "words")
      (say "hover" (plist-get (plist-get (ask :textDocument/hover) :contents) :value))
      (let* ((found (ask :textDocument/definition))
             (place (if (vectorp found) (aref found 0) found)))
        (say "definition" (file-name-nondirectory (plist-get place :uri))))
      (eglot-rename "pieces")
      (save-some-buffers t)
      (say "renamed" (line))
      (goto-char (point-min))
      (delete-region (line-beginning-position) (line-end-position))
      (insert "val   x=1")
      (say "indented" (line))
      (eglot--signal-textDocument/didChange)
      (eglot-format-buffer)
      (goto-char (point-min))
      (say "formatted" (line))
      (dolist (name '("src/new.sig" "src/new.fun"))
        (find-file (expand-file-name name project))
        (say name (file-type)))
      (find-file (expand-file-name "words.mlb" project))
      (say "words.mlb" (file-type))
      (goto-char (point-min))
      (insert "count\n")
      (eglot--signal-textDocument/didChange)
      (wait-for (lambda () (not (string= (messages) ""))))
      (say "message of words.mlb" (messages))
      (goto-char (point-min))
      (delete-region (line-beginning-position) (line-end-position))
      (insert "   src/sum.sml")
      (eglot--signal-textDocument/didChange)
      (eglot-format-buffer)
      (goto-char (point-min))
      (say "formatted words.mlb" (line)))
  (error (say "failed" why)))
(kill-emacs 0)
