;;; leat.el --- Leat's language server with eglot, its debugger with dape  -*- lexical-binding: t -*-

;; Emacs 29 has eglot; sml-mode is in GNU ELPA.  Put this into the init file:
;;   (load "/path/to/leat.el")

;; sml-mode claims .sml and .sig alone.
(add-to-list 'auto-mode-alist '("\\.fun\\'" . sml-mode))

(defvar leat-mlb-mode-syntax-table
  (let ((table (make-syntax-table)))
    (modify-syntax-entry ?\( "()1n" table)
    (modify-syntax-entry ?* ". 23n" table)
    (modify-syntax-entry ?\) ")(4n" table)
    (modify-syntax-entry ?. "_" table)
    table)
  "Comments of ML Basis files nest; `basis.mlb' is one word.")

(define-derived-mode leat-mlb-mode prog-mode "MLB"
  "Mode for ML Basis files, which list the sources of programs."
  (setq-local comment-start "(* ")
  (setq-local comment-end " *)")
  (setq-local comment-start-skip "(\\*+\\s-*")
  (setq-local font-lock-defaults
              (list (list (regexp-opt '("and" "ann" "bas" "basis" "end" "functor" "in" "let" "local" "open"
                                        "signature" "structure")
                                      'symbols)))))

(add-to-list 'auto-mode-alist '("\\.mlb\\'" . leat-mlb-mode))

(with-eval-after-load 'eglot
  (add-to-list 'eglot-server-programs
               '((sml-mode (leat-mlb-mode :language-id "mlb")) . ("leat" "lsp"))))
(when (require 'eglot nil t)
  (add-hook 'sml-mode-hook #'eglot-ensure)
  (add-hook 'leat-mlb-mode-hook #'eglot-ensure))

;; The package dape, of GNU ELPA, debugs: M-x dape RET leat.
(with-eval-after-load 'dape
  (add-to-list 'dape-configs
               '(leat modes (sml-mode)
                      command "leat" command-args ("debug")
                      :type "leat" :request "launch"
                      :program dape-buffer-default :cwd dape-cwd)))

;; Dape has no commands for steps back.
(defun leat-step-back ()
  "Go to the line before, in the program that is being debugged."
  (interactive)
  (dape--next-like-command (dape--live-connection 'stopped) :stepBack))

(defun leat-continue-back ()
  "Go to the break point before, or to the beginning of the program."
  (interactive)
  (dape--next-like-command (dape--live-connection 'stopped) :reverseContinue))

(declare-function dape--next-like-command "dape")
(declare-function dape--live-connection "dape")

(provide 'leat)
;;; leat.el ends here
