const NAMES: Readonly<Record<string, string>> = {
  api_keys: "API keys",
  app_requests: "Requests of apps to be connected",
  device_sign_ins: "Programs waiting for your sign-in",
  pairing_links: "Unused pairing links",
  channel_connections: "Channels that keep a connection",
  active_schedules: "Schedules that are not paused",
  unsent_attachments: "Attachments not sent yet",
  model_keys: "Provider keys",
  model_providers: "Model providers that you added",
  added_models: "Models that you added",
  mcp_servers_of_person: "MCP servers",
  mcp_servers_of_team: "MCP servers",
  mcp_servers_of_project: "MCP servers",
  deployment_credentials: "Provider tokens for deployments",
  shells_of_person: "Open shells",
  shells_of_project: "Open shells",
  shells_of_chat: "Open shells",
  browser_previews: "Previews",
  unfinished_deployments: "Deployments that have not ended",
  streams_of_task: "Open event streams",
  sockets_of_project: "Open connections to the project",
  command_line_sockets: "Open connections of the command line",
};

/** What a limit counts, in words that a person reads. */
export function limitName(name: string): string {
  const words = name.replaceAll("_", " ");
  return NAMES[name] ?? words.charAt(0).toUpperCase() + words.slice(1);
}
