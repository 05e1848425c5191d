import { Refused } from "../parts/refused.tsx";
import { useAction } from "../parts/use-action.ts";
import { reads } from "../service/reads.ts";
import { useTeam, useTeams } from "../service/roles.ts";
import { workspace } from "../service/workspace.ts";

/** Chooses the team that the person works in, of several. All that was read is read again. */
export function TeamSwitch() {
  const { data: teams = [] } = useTeams();
  const active = useTeam();
  const switching = useAction(async (team: string) => {
    await workspace.request("POST", "/api/teams/{team}/switch", { path: { team } });
    await reads.resetQueries();
  });
  if (teams.length < 2 || !active) return null;
  return (
    <>
      <select
        class="team-switch"
        aria-label="Team"
        value={active.slug}
        disabled={switching.isBusy}
        onChange={({ currentTarget }) => switching.run(currentTarget.value)}
      >
        {teams.map(({ slug, name }) => (
          <option key={slug} value={slug}>
            {name}
          </option>
        ))}
      </select>
      {switching.error !== undefined && <Refused error={switching.error} />}
    </>
  );
}
