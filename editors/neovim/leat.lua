-- Leat's language server in Neovim 0.7 or newer: `dofile` this from init.lua, or put it into plugin/.
vim.filetype.add({ extension = { sml = "sml", sig = "sml", fun = "sml", mlb = "mlb" } })

-- The nearest folder above a file that has a description or is a repository's; else the file's own.
local function root_of(file)
  local folder = vim.fn.fnamemodify(file, ":p:h")
  local at = folder
  while true do
    local here = vim.fn.glob(at .. "/*.mlb") ~= "" or vim.fn.filereadable(at .. "/sources.cm") == 1
    if here or vim.fn.isdirectory(at .. "/.git") == 1 then
      return at
    end
    local up = vim.fn.fnamemodify(at, ":h")
    if up == at then
      return folder
    end
    at = up
  end
end

-- One server for each root: what Neovim 0.8's `vim.lsp.start` does.
local clients = {}

vim.api.nvim_create_autocmd("FileType", {
  pattern = { "sml", "mlb" },
  callback = function(event)
    local root = root_of(vim.api.nvim_buf_get_name(event.buf))
    local config = { name = "leat", cmd = { "leat", "lsp" }, root_dir = root }
    if vim.lsp.start then
      vim.lsp.start(config, { bufnr = event.buf })
      return
    end
    clients[root] = clients[root] or vim.lsp.start_client(config)
    vim.lsp.buf_attach_client(event.buf, clients[root])
  end,
})
