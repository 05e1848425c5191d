import type { api } from "@agent-workspace/client";
import { ActionForm } from "../../parts/action-form.tsx";
import { AskFirst } from "../../parts/ask-first.tsx";
import { TextField } from "../../parts/fields.tsx";
import { textOf } from "../../parts/form-text.ts";
import { keys, reads, stale } from "../../service/reads.ts";
import { workspace } from "../../service/workspace.ts";

/** A team's name, and the ways out of it. A personal team has none. */
export function TeamSettings({ team }: { team: api.Team }) {
  const path = { team: team.slug };
  const isAdmin = team.role === "admin";
  return (
    <>
      {isAdmin && (
        <section aria-labelledby="settings">
          <h2 id="settings">Team settings</h2>
          <ActionForm
            submit="Save"
            done="Saved"
            isKept
            work={async (form) => {
              const body = { name: textOf(form, "name"), slug: textOf(form, "slug") };
              await workspace.request("PATCH", "/api/teams/{team}", { path, body });
              stale(keys.teams);
            }}
          >
            <TextField label="Team name" name="name" required maxLength={100} defaultValue={team.name} />
            <TextField
              label="Short name"
              name="slug"
              required
              maxLength={100}
              pattern="[a-z0-9][a-z0-9\-]*[a-z0-9]"
              defaultValue={team.slug}
              hint="Lowercase letters, digits and hyphens. Used in API addresses."
            />
          </ActionForm>
        </section>
      )}
      {!team.is_personal && (
        <div class="row">
          <AskFirst
            label="Leave team…"
            title={`Leave ${team.name}?`}
            confirm="Leave"
            work={async () => {
              await workspace.request("POST", "/api/teams/{team}/leave", { path });
              await reads.resetQueries();
            }}
          >
            <p>You lose access to its projects, and your API keys in it are revoked.</p>
          </AskFirst>
          {isAdmin && (
            <AskFirst
              label="Delete team…"
              title={`Delete ${team.name}?`}
              typed={team.name}
              confirm="Delete"
              work={async () => {
                await workspace.request("DELETE", "/api/teams/{team}", { path });
                await reads.resetQueries();
              }}
            >
              <p>
                Only a team without projects can be deleted. Its members lose access, and its subscriptions
                are cancelled.
              </p>
            </AskFirst>
          )}
        </div>
      )}
    </>
  );
}
