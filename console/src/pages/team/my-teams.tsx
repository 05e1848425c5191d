import type { api } from "@agent-workspace/client";
import { ActionButton } from "../../parts/action-button.tsx";
import { ActionForm } from "../../parts/action-form.tsx";
import { Badge, stateWord } from "../../parts/badge.tsx";
import { TextField } from "../../parts/fields.tsx";
import { textOf } from "../../parts/form-text.ts";
import { reads } from "../../service/reads.ts";
import { workspace } from "../../service/workspace.ts";

/** The teams of the person: go to another one, or create one. */
export function MyTeams({ teams, active }: { teams: readonly api.Team[]; active: string | undefined }) {
  return (
    <section aria-labelledby="my-teams">
      <h2 id="my-teams">Your teams</h2>
      <ul class="list">
        {teams.map((team) => (
          <li key={team.id}>
            <span class="told">
              {team.name}{" "}
              <span class="muted small">{team.is_personal ? "Personal" : stateWord(team.role)}</span>
            </span>
            {team.id === active ? (
              <Badge kind="accent">Current team</Badge>
            ) : (
              <ActionButton work={() => switchTo(team.slug)}>Switch to {team.name}</ActionButton>
            )}
          </li>
        ))}
      </ul>
      <ActionForm
        submit="Create team"
        work={async (form) => {
          const { slug } = await workspace.teams.create({ name: textOf(form, "name") });
          await switchTo(slug);
        }}
      >
        <TextField label="New team name" name="name" required maxLength={100} />
      </ActionForm>
    </section>
  );
}

/** All that was read belongs to the other team. */
async function switchTo(team: string): Promise<void> {
  await workspace.request("POST", "/api/teams/{team}/switch", { path: { team } });
  await reads.resetQueries();
}
