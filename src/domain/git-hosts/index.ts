export { beginConnection } from "./begin-connection.ts";
export { connectToken } from "./connect-token.ts";
export { disconnectGitHost } from "./disconnect.ts";
export { finishConnection } from "./finish-connection.ts";
export { GIT_HOSTS } from "./hosts.ts";
export { listConnections, type ConnectionState } from "./list-connections.ts";
export { hostedBranches, hostedRepositories, hostedRepository, repositoryAt } from "./hosted-repositories.ts";
export { remoteFor, type GitHostDeps } from "./remote-for.ts";
export { secretTokens } from "./secret-tokens.ts";
