;;; leat.el --- Leat's language server with eglot, its debugger with dape  -*- lexical-binding: t -*-

;; Emacs 29 has eglot; sml-mode is in GNU ELPA.  Put this into the init file:
;;   (load "/path/to/leat.el")

(require 'eglot)

(add-to-list 'eglot-server-programs '((sml-mode) . ("leat" "lsp")))
(add-hook 'sml-mode-hook #'eglot-ensure)

;; The package dape, of GNU ELPA, debugs: M-x dape RET leat.
(with-eval-after-load 'dape
  (add-to-list 'dape-configs
               '(leat modes (sml-mode)
                      command "leat" command-args ("debug")
                      :type "leat" :request "launch"
                      :program dape-buffer-default :cwd dape-cwd)))

(provide 'leat)
;;; leat.el ends here
