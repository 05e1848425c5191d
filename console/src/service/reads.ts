import { WorkspaceError } from "@agent-workspace/client";
import { QueryClient, useQuery, type UseQueryResult } from "@tanstack/preact-query";
import { useEffect, useRef } from "preact/hooks";
import { mayAskAgain, paced } from "./pace.ts";
import { surrounding } from "./surroundings.ts";
import { workspace } from "./workspace.ts";

/** What was read stays for a while, so that going back shows it at once. The client repeats failed reads itself. */
export const reads = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 10_000,
      gcTime: 300_000,
      retry: false,
      refetchOnWindowFocus: mayAskAgain,
      refetchOnReconnect: mayAskAgain,
    },
  },
});

/** Lists of chats have those that others share, too. */
const SHARED = { shared: "true" } as const;

/** Names of what is read. A change names what it makes stale. */
export const keys = {
  me: ["me"],
  sidebar: ["sidebar"],
  credits: ["credits"],
  models: ["models"],
  projects: ["projects"],
  project: (project: string) => ["projects", project],
  chats: (project: string) => ["projects", project, "chats"],
  projectAgents: (project: string) => ["projects", project, "agents"],
  role: (project: string) => ["projects", project, "role"],
  status: (project: string) => ["projects", project, "status"],
  containers: (project: string) => ["projects", project, "containers"],
  approvals: ["approvals"],
  messages: (chat: string) => ["messages", chat],
  runs: ["runs"],
  run: (task: string) => ["runs", task],
  apiKeys: ["api-keys"],
  teams: ["teams"],
} as const;

/** Makes reads stale, so that what is on the screen is read again. */
export function stale(...names: (readonly unknown[])[]): void {
  for (const queryKey of names) void reads.invalidateQueries({ queryKey });
}

/** Reads what a name stands for. A refusal is shown by the part that reads. */
export function useRead<T>(
  queryKey: readonly unknown[],
  read: (signal: AbortSignal) => Promise<T>,
): UseQueryResult<T> {
  return useQuery({ queryKey, queryFn: ({ signal }) => read(signal) });
}

/** How often a list is read of which no connection tells. */
const LISTED_MS = 15_000;

/** `useRead` of what others change, too: it is read again while it is looked at. */
export function useListed<T>(
  queryKey: readonly unknown[],
  read: (signal: AbortSignal) => Promise<T>,
): UseQueryResult<T> {
  return useQuery({
    queryKey,
    queryFn: ({ signal }) => read(signal),
    refetchInterval: (query) => paced(query, query.state.data !== undefined && LISTED_MS),
  });
}

/** Calls when a value is another than before; the first is no change. */
export function useChanged(value: string | undefined, call: () => void): void {
  const known = useRef(value);
  useEffect(() => {
    if (value === undefined) return;
    if (known.current !== undefined && known.current !== value) call();
    known.current = value;
  }, [value]);
}

export const useMe = () =>
  useRead(keys.me, (signal) => surrounding("me", () => workspace.account.get({ signal })));

export const useCredits = () =>
  useRead(keys.credits, (signal) => surrounding("credits", () => workspace.usage.credits({ signal })));

export const useModels = () =>
  useRead(keys.models, (signal) => workspace.request("GET", "/api/marketplace/models", { signal }));

export const useSidebar = () =>
  useRead(keys.sidebar, (signal) =>
    surrounding("tree", () => workspace.request("GET", "/api/sidebar/tree", { query: SHARED, signal })),
  );

export const useProjects = () =>
  useRead(keys.projects, (signal) => workspace.projects.list(undefined, { signal }));

export const useProject = (project: string) =>
  useRead(keys.project(project), (signal) => workspace.projects.get(project, { signal }));

/** A chat as lists show it: of the sidebar, or, where that is too short for it, of its project's own list. */
export function useListedChat(project: string, chat: string) {
  const { data: tree, isFetching } = useSidebar();
  const near = tree?.projects.flatMap(({ chats }) => chats).find(({ id }) => id === chat);
  const { data: chats } = useQuery({
    queryKey: keys.chats(project),
    queryFn: ({ signal }) => workspace.chats.ofProject(project, { limit: 100, ...SHARED }, { signal }),
    enabled: tree !== undefined && !isFetching && near === undefined,
  });
  // While one list is read after the other, it stays what it was: what is open of it would close.
  const known = useRef<typeof near>();
  known.current = near ?? chats?.find(({ id }) => id === chat) ?? known.current;
  return known.current;
}

export type ListedChat = NonNullable<ReturnType<typeof useListedChat>>;

/** Agents that a project offers: those that were added to it; where there are none, all of its team. */
export const useProjectAgents = (project: string) =>
  useRead(keys.projectAgents(project), async (signal) => {
    const asked = { path: { project }, signal };
    const { agents } = await workspace.request("GET", "/api/marketplace/projects/{project}/agents", asked);
    if (agents.length > 0) return agents;
    const path = "/api/marketplace/projects/{project}/available-agents";
    const { available_agents: available } = await workspace.request("GET", path, asked);
    // The default agent is offered as the choice of none.
    return available.filter(({ slug }) => slug !== "system-default");
  });

/** Most often that a project on its way to another state is read. */
const MOVING_MS = 15_000;

type Moving = { state: string; environment_status: string };

/** Whether a project is on its way to another state. */
export function isMoving({ state, environment_status }: Moving): boolean {
  return state === "starting" || state === "initializing" || environment_status === "stopping";
}

/** The state of a project, read again while it moves. */
export const useProjectStatus = (project: string) =>
  useQuery({
    queryKey: keys.status(project),
    queryFn: ({ signal }) => workspace.projects.status(project, { signal }),
    refetchInterval: (read) =>
      paced(read, read.state.data !== undefined && isMoving(read.state.data) && MOVING_MS),
  });

/** Containers of a project, read again while one starts. */
export const useContainers = (project: string) =>
  useQuery({
    queryKey: keys.containers(project),
    queryFn: ({ signal }) => workspace.containers.list(project, { signal }),
    refetchInterval: (read) =>
      paced(read, read.state.data?.some(({ status }) => status === "starting") === true && MOVING_MS),
  });

export const useApiKeys = () =>
  useRead(keys.apiKeys, (signal) => workspace.keys.list({ limit: 100 }, { signal }));

/** What waits for the person in all projects. It is asked again twice a minute, as no connection tells of all of them. */
export const useApprovals = () =>
  useQuery({
    queryKey: keys.approvals,
    queryFn: ({ signal }) => surrounding("approvals", () => workspace.approvals.list(undefined, { signal })),
    refetchInterval: (read) => paced(read, 30_000),
    // The tab's title counts them, which is for those who look at another tab.
    refetchIntervalInBackground: true,
  });

export type RunFilter = "queued" | "running" | "completed" | "failed" | "cancelled" | undefined;

export const useRuns = (page: number, status: RunFilter, origin?: string) =>
  useListed([...keys.runs, { page, status, origin }], (signal) =>
    workspace.request("GET", "/api/chat/agent/tasks", {
      query: { page, limit: 50, ...(status && { status }), ...(origin && { origin }) },
      signal,
    }),
  );

/** A task, read again until it and its callback have ended, or nobody may read it any longer. */
export const useRun = (task: string) =>
  useQuery({
    queryKey: [...keys.run(task), "status"],
    queryFn: ({ signal }) => workspace.tasks.get(task).status({ signal }),
    refetchInterval: (read) => {
      const { data, error } = read.state;
      const isRefused = error instanceof WorkspaceError && [401, 404].includes(error.status ?? 0);
      const isOpen = [data?.status, data?.callback.status].some((state) => UNDER_WAY.has(state));
      return paced(read, !isRefused && isOpen && LISTED_MS);
    },
  });

const UNDER_WAY: ReadonlySet<string | undefined> = new Set(["queued", "running", "pending"]);

export const useSteps = (task: string) =>
  useRead([...keys.run(task), "steps"], (signal) =>
    workspace.tasks.get(task).steps({ limit: 100 }, { signal }),
  );
