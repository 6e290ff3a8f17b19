;;; leat.el --- Leat's language server with eglot  -*- lexical-binding: t -*-

;; Emacs 29 has eglot; sml-mode is in GNU ELPA.  Put this into the init file:
;;   (load "/path/to/leat.el")

(require 'eglot)

(add-to-list 'eglot-server-programs '((sml-mode) . ("leat" "lsp")))
(add-hook 'sml-mode-hook #'eglot-ensure)

(provide 'leat)
;;; leat.el ends here
