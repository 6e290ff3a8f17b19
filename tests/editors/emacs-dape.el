;;; emacs-dape.el --- what a user debugs in Emacs with editors/emacs/leat.el and dape, run by editors.rs  -*- lexical-binding: t -*-

;; src/sum.sml of the project is opened here. A line for each result.

(require 'dape)

(defun say (what text)
  (princ (format "%s: %s\n" what (replace-regexp-in-string "[ \n]+" " " (format "%s" text)))))

(defun wait-for (what condition)
  (let ((end (+ (float-time) 20)))
    (while (and (not (funcall condition)) (< (float-time) end))
      (accept-process-output nil 0.05))
    (unless (funcall condition) (error "waiting for %s" what))))

(defun connection () (dape--live-connection 'stopped t))

(defun frame-now ()
  (let ((connection (connection)))
    (and connection (dape--current-stack-frame connection))))

;; Waits until the session stands at a line.
(defun stands-at (line)
  (wait-for (format "line %d" line) (lambda () (eql (plist-get (frame-now) :line) line)))
  (format "%s:%d" (file-name-nondirectory (plist-get (plist-get (frame-now) :source) :path)) line))

(condition-case why
    (progn
      ;; The default shows windows.
      (setq dape-start-hook nil dape-display-source-hook nil)
      (find-file "src/sum.sml")
      (goto-char (point-min))
      (forward-line 1)
      (dape-breakpoint-toggle)
      (dape (dape--config-eval 'leat nil))
      (say "stopped" (stands-at 2))
      (let (found)
        (dape--with-request (dape--scopes (connection) (frame-now))
          (let ((scope (car (plist-get (frame-now) :scopes))))
            (dape--with-request (dape--variables (connection) scope)
              (setq found (mapcar (lambda (v) (format "%s = %s" (plist-get v :name) (plist-get v :value)))
                                  (plist-get scope :variables))))))
        (wait-for "variables" (lambda () found))
        (say "variables" (mapconcat #'identity (sort found #'string<) ", ")))
      (leat-step-back)
      (say "back" (stands-at 3))
      (dape-breakpoint-remove-all)
      (dape-continue (connection))
      (wait-for "the end" (lambda () (null (dape--live-connections))))
      (say "end" "true"))
  (error (say "failed" (error-message-string why))))
;;; emacs-dape.el ends here
