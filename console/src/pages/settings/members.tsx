import type { api } from "@agent-workspace/client";
import { stateWord } from "../../parts/badge.tsx";
import { textOf } from "../../parts/form-text.ts";
import { Choice, TextField } from "../../parts/fields.tsx";
import { Loaded } from "../../parts/loaded.tsx";
import { Refused } from "../../parts/refused.tsx";
import { useAction } from "../../parts/use-action.ts";
import { keys, stale } from "../../service/reads.ts";
import type { Role } from "../../service/roles.ts";
import { workspace } from "../../service/workspace.ts";
import { membersKey, useMembers } from "./reads.ts";

const ROLES = ["viewer", "editor", "admin"] as const;

const roleOf = (text: string): Role => ROLES.find((role) => role === text) ?? "viewer";

interface MembersProps {
  project: string;
  isAdministrator: boolean;
}

/** People with a role of their own in a project. */
export function Members({ project, isAdministrator }: MembersProps) {
  const adding = useAction(async (form: HTMLFormElement) => {
    const typed = new FormData(form);
    const body = { email: textOf(typed, "email"), role: roleOf(textOf(typed, "role")) };
    await workspace.request("POST", "/api/projects/{project}/members", { path: { project }, body });
    form.reset();
    stale(membersKey(project));
  });
  return (
    <>
      <h2>Members</h2>
      <p class="muted">Everyone else in the team has their team role here.</p>
      <Loaded of={useMembers(project)}>
        {(members) => (
          <ul class="list">
            {members.map((member) => (
              <MemberLine key={member.user_id} {...{ project, member, isAdministrator }} />
            ))}
          </ul>
        )}
      </Loaded>
      {isAdministrator && (
        <form
          class="form narrow"
          onSubmit={(event) => {
            event.preventDefault();
            adding.run(event.currentTarget);
          }}
        >
          <TextField label="Email address" name="email" type="email" required autocomplete="off" />
          <Choice label="Role" name="role">
            {ROLES.map((role) => (
              <option key={role} value={role}>
                {stateWord(role)}
              </option>
            ))}
          </Choice>
          <button type="submit" disabled={adding.isBusy}>
            Add member
          </button>
        </form>
      )}
      {adding.error !== undefined && <Refused error={adding.error} />}
    </>
  );
}

function MemberLine({ project, member, isAdministrator }: MembersProps & { member: api.Member }) {
  const path = { project, user: member.user_id };
  const changing = useAction(async (role: Role | "none") => {
    if (role === "none") {
      await workspace.request("DELETE", "/api/projects/{project}/members/{user}", { path });
    } else {
      await workspace.request("PATCH", "/api/projects/{project}/members/{user}", { path, body: { role } });
    }
    stale(membersKey(project), keys.role(project));
  });
  const { username, role } = member;
  return (
    <li>
      <span class="told">{username}</span>
      {isAdministrator ? (
        <>
          <select
            aria-label={`Role of ${username}`}
            // It is what the service says, which may refuse.
            value={role}
            disabled={changing.isBusy}
            onChange={({ currentTarget }) => changing.run(roleOf(currentTarget.value))}
          >
            {ROLES.map((each) => (
              <option key={each} value={each}>
                {stateWord(each)}
              </option>
            ))}
          </select>
          <button type="button" disabled={changing.isBusy} onClick={() => changing.run("none")}>
            Remove {username}
          </button>
        </>
      ) : (
        <span class="muted">{stateWord(role)}</span>
      )}
      {changing.error !== undefined && <Refused error={changing.error} />}
    </li>
  );
}
