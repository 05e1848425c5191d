import type { api } from "@agent-workspace/client";
import { useQuery } from "@tanstack/preact-query";
import { keys, useMe, useRead } from "./reads.ts";
import { loadedProject, surrounding } from "./surroundings.ts";
import { workspace } from "./workspace.ts";

/** What a person is in a team or a project. */
export type Role = api.Team["role"];

export const useTeams = () =>
  useRead(keys.teams, (signal) => surrounding("teams", () => workspace.teams.list({ signal })));

/** The team whose projects and credits are shown; undefined until it is read. */
export function useTeam(): api.Team | undefined {
  const { data: me } = useMe();
  const { data: teams } = useTeams();
  return teams?.find(({ id }) => id === me?.default_team_id) ?? teams?.[0];
}

/** The person's role in the active team; undefined until it is known, so that nothing is offered that would be refused. */
export const useTeamRole = (): Role | undefined => useTeam()?.role;

/** Whether the person may make something in the active team; undefined until it is known. */
export function useMayMake(): boolean | undefined {
  const role = useTeamRole();
  return role && role !== "viewer";
}

/** The person's role in a project, which its id or slug names; undefined until it is known, and for no project. */
export function useProjectRole(project: string): Role | undefined {
  const { data } = useQuery({
    queryKey: keys.role(project),
    queryFn: async ({ signal }) => {
      const read = () =>
        workspace.request("GET", "/api/projects/{project}/my-role", { path: { project }, signal });
      if (project !== loadedProject) return read();
      return { role: await surrounding("role", async () => (await read()).role) };
    },
    enabled: project !== "",
  });
  return data?.role;
}

/** Whether the person may change a project, which its id or slug names; undefined until it is known. */
export function useMayEdit(project: string): boolean | undefined {
  const role = useProjectRole(project);
  return role && role !== "viewer";
}
