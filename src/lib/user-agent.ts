/** The User-Agent of the service's own requests. */
export const USER_AGENT = "agent-workspace-service";
