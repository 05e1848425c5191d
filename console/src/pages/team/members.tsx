import type { api } from "@agent-workspace/client";
import { AskFirst } from "../../parts/ask-first.tsx";
import { stateWord } from "../../parts/badge.tsx";
import { Loaded } from "../../parts/loaded.tsx";
import { Moment } from "../../parts/moment.tsx";
import { Refused } from "../../parts/refused.tsx";
import { useAction } from "../../parts/use-action.ts";
import { stale } from "../../service/reads.ts";
import { workspace } from "../../service/workspace.ts";
import { teamKeys, useMembers } from "./reads.ts";
import { roleOf, ROLES, type Role } from "./roles.ts";

/** The people of a team. Its administrators change what the others may do. */
export function Members({ team, me }: { team: api.Team; me: string | undefined }) {
  return (
    <section aria-labelledby="members">
      <h2 id="members">People</h2>
      <Loaded of={useMembers(team.slug)}>
        {(members) => (
          <ul class="list">
            {members.map((member) => {
              const isSelf = member.user_id === me;
              // The owner of a personal team stays its administrator.
              const isFixed = team.is_personal && member.user_id === team.created_by_id;
              const mayChange = team.role === "admin" && !isSelf && !isFixed;
              return (
                <li key={member.user_id}>
                  <span class="told">
                    {member.name} {isSelf && "(you) "}
                    <span class="muted small">
                      {member.username} · {member.email} · since <Moment at={member.joined_at} />
                    </span>
                  </span>
                  {mayChange ? (
                    <Powers team={team.slug} member={member} />
                  ) : (
                    <span>{stateWord(member.role)}</span>
                  )}
                </li>
              );
            })}
          </ul>
        )}
      </Loaded>
    </section>
  );
}

function Powers({ team, member }: { team: string; member: api.Member }) {
  const path = { team, user: member.user_id };
  const changing = useAction(async (role: Role) => {
    await workspace.request("PATCH", "/api/teams/{team}/members/{user}", { path, body: { role } });
    stale(teamKeys.members);
  });
  return (
    <>
      <select
        aria-label={`Role of ${member.name}`}
        value={member.role}
        disabled={changing.isBusy}
        onChange={({ currentTarget }) => changing.run(roleOf(currentTarget.value))}
      >
        {ROLES.map(({ role }) => (
          <option key={role} value={role}>
            {stateWord(role)}
          </option>
        ))}
      </select>
      <AskFirst
        label={`Remove ${member.name}`}
        shown="Remove"
        title={`Remove ${member.name} from the team?`}
        confirm="Remove"
        work={async () => {
          await workspace.request("DELETE", "/api/teams/{team}/members/{user}", { path });
          stale(teamKeys.members);
        }}
      >
        <p>They lose access at once, and their API keys in the team are revoked.</p>
      </AskFirst>
      {changing.error !== undefined && <Refused error={changing.error} />}
    </>
  );
}
