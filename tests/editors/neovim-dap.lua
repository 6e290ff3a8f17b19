-- What a user debugs in Neovim with editors/neovim/leat.lua and nvim-dap, run by editors.rs: src/sum.sml is open. A line
-- for each result.
local dap = require("dap")

local function say(what, text)
  io.stdout:write(what .. ": " .. tostring(text):gsub("%s+", " ") .. "\n")
end

local function wait(what, condition)
  assert(vim.wait(20000, condition, 20), "waiting for " .. what)
end

-- Waits until the session stands at a line.
local function stands_at(line)
  wait("line " .. line, function()
    local session = dap.session()
    return session and session.stopped_thread_id and session.current_frame and session.current_frame.line == line
  end)
  local frame = dap.session().current_frame
  return frame.source.path:match("[^/]*$") .. ":" .. frame.line
end

local function ask(command, arguments)
  local answer
  dap.session():request(command, arguments, function(err, body)
    answer = err and { failed = err } or body
  end)
  wait(command, function() return answer ~= nil end)
  assert(not answer.failed, vim.inspect(answer.failed))
  return answer
end

local ok, why = pcall(function()
  local reason
  dap.listeners.after.event_stopped.test = function(_, body)
    reason = body.reason
  end
  local ended = false
  dap.listeners.after.event_terminated.test = function()
    ended = true
  end
  assert(#dap.configurations.sml == 2)
  vim.fn.cursor(2, 1)
  dap.toggle_breakpoint()
  dap.run(dap.configurations.sml[1])
  local place = stands_at(2)
  assert(reason == "breakpoint", reason)
  say("stopped", place)
  local scopes = ask("scopes", { frameId = dap.session().current_frame.id }).scopes
  local found = {}
  for _, v in ipairs(ask("variables", { variablesReference = scopes[1].variablesReference }).variables) do
    table.insert(found, v.name .. " = " .. v.value)
  end
  table.sort(found)
  say("variables", table.concat(found, ", "))
  dap.step_back()
  say("back", stands_at(3))
  dap.clear_breakpoints()
  wait("the answer", function() return dap.session().stopped_thread_id ~= nil end)
  dap.continue()
  wait("the end", function() return ended or dap.session() == nil end)
  say("end", true)
end)
if not ok then
  say("failed", why)
end
vim.cmd("qa!")
