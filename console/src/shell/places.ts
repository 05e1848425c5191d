/** Pages of the console that belong to no project. */
export const PAGES = [
  { path: "/runs", name: "Runs" },
  { path: "/channels", name: "Channels" },
  { path: "/schedules", name: "Schedules" },
  { path: "/deployments", name: "Deployments" },
  { path: "/agents", name: "Agents" },
  { path: "/models", name: "Models" },
  { path: "/git-hosts", name: "Git hosts" },
  { path: "/keys", name: "API keys" },
  { path: "/marketplace", name: "Marketplace" },
  { path: "/usage", name: "Usage" },
  { path: "/billing", name: "Billing" },
  { path: "/team", name: "Team" },
  { path: "/account", name: "Account" },
] as const;

/** Pages of one project, below its address. */
export const TABS = [
  { path: "", name: "Chats" },
  { path: "/files", name: "Files" },
  { path: "/changes", name: "Changes" },
  { path: "/history", name: "History" },
  { path: "/terminal", name: "Terminal" },
  { path: "/containers", name: "Containers" },
  { path: "/preview", name: "Preview" },
  { path: "/settings", name: "Settings" },
] as const;
