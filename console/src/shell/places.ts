import {
  Blocks,
  Bot,
  CalendarClock,
  ChartColumn,
  CreditCard,
  GitBranch,
  KeyRound,
  ListChecks,
  MessagesSquare,
  Plug,
  Rocket,
  ScrollText,
  Store,
  Users,
  type LucideIcon,
} from "lucide-preact";

/** A page of the console that belongs to no project. */
export interface Place {
  readonly path: string;
  readonly name: string;
  readonly icon: LucideIcon;
  /** Whether only administrators of the team can open it. */
  readonly isForAdmins?: boolean;
}

/** Places of one kind, which the sidebar folds together. */
interface Group {
  readonly name: string;
  readonly places: readonly Place[];
}

export const GROUPS: readonly Group[] = [
  {
    name: "Automate",
    places: [
      { path: "/runs", name: "Tasks", icon: ListChecks },
      { path: "/schedules", name: "Schedules", icon: CalendarClock },
      { path: "/channels", name: "Channels", icon: MessagesSquare },
    ],
  },
  {
    name: "Build",
    places: [
      { path: "/agents", name: "Agents", icon: Bot },
      { path: "/models", name: "Models", icon: Blocks },
      { path: "/mcp-servers", name: "MCP servers", icon: Plug },
      { path: "/marketplace", name: "Marketplace", icon: Store },
      { path: "/deployments", name: "Deployments", icon: Rocket },
      { path: "/git-hosts", name: "Git hosts", icon: GitBranch },
    ],
  },
  {
    name: "Organisation",
    places: [
      { path: "/team", name: "Team", icon: Users },
      { path: "/keys", name: "API keys", icon: KeyRound },
      { path: "/usage", name: "Usage", icon: ChartColumn },
      { path: "/billing", name: "Billing", icon: CreditCard },
      { path: "/team/audit", name: "Audit log", icon: ScrollText, isForAdmins: true },
    ],
  },
];

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

/** The project whose pages are at an address of the console; undefined elsewhere. */
export function projectAt(location: string): string | undefined {
  return /^\/projects\/(?!new(?:\/|$))([^/]+)/u.exec(location)?.[1];
}

/** The place that an address is in: the longest of those that it begins with. */
export function placeAt(location: string): string | undefined {
  return GROUPS.flatMap(({ places }) => places.map(({ path }) => path))
    .filter((path) => location === path || location.startsWith(`${path}/`))
    .toSorted((a, b) => b.length - a.length)[0];
}
