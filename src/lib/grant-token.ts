/** The beginning of access tokens of connected apps, which are good at the MCP server alone. */
export const GRANT_TOKEN = "tso_";
