-- What a user does in Neovim with editors/neovim/leat.lua, run by editors.rs: src/main.sml is open. A line for each result.
local function say(what, text)
  io.stdout:write(what .. ": " .. tostring(text):gsub("%s+", " ") .. "\n")
end

local function wait(condition)
  return vim.wait(20000, condition, 20)
end

local function messages()
  local found = {}
  for _, d in ipairs(vim.diagnostic.get(0)) do
    table.insert(found, (d.lnum + 1) .. ": " .. d.message:gsub("\n.*", ""))
  end
  return table.concat(found, " | ")
end

local function ask(method, extra)
  local params = vim.tbl_extend("force", vim.lsp.util.make_position_params(), extra or {})
  local answers = vim.lsp.buf_request_sync(0, method, params, 20000) or {}
  for _, answer in pairs(answers) do
    return answer.result
  end
end

local function go_to(text)
  vim.fn.cursor(1, 1)
  vim.fn.search(text, "cW")
end

local function format()
  -- Neovim 0.8 has another name for it.
  if vim.lsp.buf.format then vim.lsp.buf.format() else vim.lsp.buf.formatting_sync(nil, 20000) end
end

local ok, why = pcall(function()
  say("file type", vim.bo.filetype)
  wait(function() return #vim.lsp.buf_get_clients(0) > 0 end)
  wait(function() return messages() ~= "" end)
  say("message", messages())
  go_to("wrods")
  vim.cmd("normal! cewords")
  say("typed", vim.fn.getline("."))
  wait(function() return messages() == "" end)
  say("mended", messages() == "")
  go_to("words")
  local hover = ask("textDocument/hover")
  say("hover", hover and hover.contents.value)
  local definition = ask("textDocument/definition")
  local place = definition and (definition[1] or definition)
  say("definition", place and (place.uri or place.targetUri):match("[^/]*$"))
  vim.lsp.buf.rename("pieces")
  wait(function() return vim.fn.getline("."):find("pieces") ~= nil end)
  vim.cmd("silent wall")
  say("renamed", vim.fn.getline("."))
  vim.fn.setline(1, "val   x=1")
  say("indented", vim.fn.getline(1))
  format()
  say("formatted", vim.fn.getline(1))
  for _, name in ipairs({ "src/new.sig", "src/new.fun" }) do
    vim.cmd("edit " .. name)
    say(name, vim.bo.filetype)
  end
  vim.cmd("edit words.mlb")
  say("words.mlb", vim.bo.filetype)
  wait(function() return #vim.lsp.buf_get_clients(0) > 0 end)
  vim.fn.append(0, "count")
  wait(function() return messages() ~= "" end)
  say("message of words.mlb", messages())
  vim.fn.setline(1, "   src/sum.sml")
  format()
  say("formatted words.mlb", vim.fn.getline(1))
end)
if not ok then
  say("failed", why)
end
vim.cmd("qa!")
