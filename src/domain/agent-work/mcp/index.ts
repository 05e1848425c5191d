export { readAskedInput } from "./asked-input.ts";
export { beginAuthorization, type BegunAuthorization } from "./begin-authorization.ts";
export { disconnectServer } from "./disconnect-server.ts";
export { failureOf, neededScopeOf, type ServerFailure } from "./failure.ts";
export { finishAuthorization } from "./finish-authorization.ts";
export { compareTools } from "./listed-tools.ts";
export {
  createServer,
  deleteServer,
  listServers,
  updateServer,
  type McpServerInput,
  type McpServerPatch,
} from "./manage-servers.ts";
export { serversOfTask, storeOutcome, type McpServer, type ServerOfTask } from "./queries.ts";
export { requireServer } from "./require-server.ts";
export { leaveOf, type ToolLeave } from "./rules.ts";
export { SERVER_NAME } from "./server-name.ts";
export { mailOwners } from "./mail-owners.ts";
export { MASK, secretValues } from "./sealed-headers.ts";
export { showServer, showServers, type ShownServer } from "./show-servers.ts";
export { allowStdioServer, listStdioServers } from "./stdio-servers.ts";
export { openHeaders, testServer, type Tested } from "./test-server.ts";
export { isStdio } from "./stdio-program.ts";
export { targetOf, type ReachDeps } from "./target.ts";
export { MCP_PREFIX, namesFor } from "./tool-names.ts";
export { tokensOf, type TokenDeps } from "./usable-token.ts";
