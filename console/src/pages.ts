import { lazily } from "./lazily.tsx";

// Each area is a file of its own, which a browser loads when one of its pages is opened.
export const FilesPage = lazily(async () => (await import("./pages/files/files-page.tsx")).FilesPage);
export const WaitingPage = lazily(async () => (await import("./pages/waiting/waiting-page.tsx")).WaitingPage);
export const RunsPage = lazily(async () => (await import("./pages/runs/runs-page.tsx")).RunsPage);
export const RunPage = lazily(async () => (await import("./pages/runs/run-page.tsx")).RunPage);
export const KeysPage = lazily(async () => (await import("./pages/keys/keys-page.tsx")).KeysPage);
export const ChangesPage = lazily(async () => (await import("./pages/changes/changes-page.tsx")).ChangesPage);
export const HistoryPage = lazily(async () => (await import("./pages/history/history-page.tsx")).HistoryPage);
export const TerminalPage = lazily(
  async () => (await import("./pages/terminal/terminal-page.tsx")).TerminalPage,
);
export const ContainersPage = lazily(
  async () => (await import("./pages/containers/containers-page.tsx")).ContainersPage,
);
export const PreviewPage = lazily(async () => (await import("./pages/preview/preview-page.tsx")).PreviewPage);
export const SettingsPage = lazily(
  async () => (await import("./pages/settings/settings-page.tsx")).SettingsPage,
);
export const ChannelsPage = lazily(
  async () => (await import("./pages/channels/channels-page.tsx")).ChannelsPage,
);
export const McpServersPage = lazily(
  async () => (await import("./pages/mcp-servers/mcp-servers-page.tsx")).McpServersPage,
);
export const SchedulesPage = lazily(
  async () => (await import("./pages/schedules/schedules-page.tsx")).SchedulesPage,
);
export const UsagePage = lazily(async () => (await import("./pages/usage/usage-page.tsx")).UsagePage);
export const BillingPage = lazily(async () => (await import("./pages/billing/billing-page.tsx")).BillingPage);
export const MarketplacePage = lazily(
  async () => (await import("./pages/marketplace/marketplace-page.tsx")).MarketplacePage,
);
export const DeploymentsPage = lazily(
  async () => (await import("./pages/deployments/deployments-page.tsx")).DeploymentsPage,
);
export const TeamPage = lazily(async () => (await import("./pages/team/team-page.tsx")).TeamPage);
export const AccountPage = lazily(async () => (await import("./pages/account/account-page.tsx")).AccountPage);
export const AdminPage = lazily(async () => (await import("./pages/admin/admin-page.tsx")).AdminPage);
export const ModelsPage = lazily(async () => (await import("./pages/models/models-page.tsx")).ModelsPage);
export const AgentsPage = lazily(async () => (await import("./pages/agents/agents-page.tsx")).AgentsPage);
/** Of this machine alone, where the console is developed. */
export const PartsPage = lazily(async () => (await import("./pages/parts/parts-page.tsx")).PartsPage);
export const GitHostsPage = lazily(
  async () => (await import("./pages/git-hosts/git-hosts-page.tsx")).GitHostsPage,
);
