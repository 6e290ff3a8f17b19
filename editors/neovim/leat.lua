-- Leat's language server, and its debugger with nvim-dap, in Neovim 0.7 or newer: `dofile` this from init.lua, or put it into plugin/.
local types = { sml = "sml", sig = "sml", fun = "sml", mlb = "mlb" }
vim.filetype.add({ extension = types })
-- Neovim 0.7 does not ask it, unless a variable says so.
if vim.fn.has("nvim-0.8") == 0 then
  for suffix, name in pairs(types) do
    vim.api.nvim_create_autocmd({ "BufRead", "BufNewFile" }, { pattern = "*." .. suffix, command = "set filetype=" .. name })
  end
end

-- The repository around a file; else the outermost folder above it, below the home folder, that has a description, since a
-- project's parts have descriptions of their own; else the file's own folder.
local function root_of(file)
  local folder = vim.fn.fnamemodify(file, ":p:h")
  local home = vim.fn.fnamemodify("~", ":p:h")
  local at, root = folder, folder
  while at ~= home do
    -- `.git` is a file in a second working tree of a repository.
    if vim.fn.isdirectory(at .. "/.git") == 1 or vim.fn.filereadable(at .. "/.git") == 1 then
      return at
    end
    if vim.fn.glob(at .. "/*.mlb") ~= "" or vim.fn.filereadable(at .. "/sources.cm") == 1 then
      root = at
    end
    local up = vim.fn.fnamemodify(at, ":h")
    if up == at then
      break
    end
    at = up
  end
  return root
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

local has_dap, dap = pcall(require, "dap")
if has_dap then
  dap.adapters.leat = { type = "executable", command = "leat", args = { "debug" } }
  dap.configurations.sml = {
    { type = "leat", request = "launch", name = "this file", program = "${file}" },
    { type = "leat", request = "launch", name = "this file, an interleaving that fails", program = "${file}", explore = 1000 },
  }
end
