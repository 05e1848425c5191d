import type { api } from "@agent-workspace/client";
import { AskFirst } from "../../parts/ask-first.tsx";
import { Badge, stateWord } from "../../parts/badge.tsx";
import { Choice, TextField } from "../../parts/fields.tsx";
import { Filter } from "../../parts/filter.tsx";
import { given, textOf } from "../../parts/form-text.ts";
import { Loaded } from "../../parts/loaded.tsx";
import { Moment } from "../../parts/moment.tsx";
import { number, plural } from "../../parts/numbers.ts";
import { Pager } from "../../parts/pager.tsx";
import { Table } from "../../parts/table.tsx";
import { useNarrowed } from "../../parts/use-narrowed.ts";
import { keys, stale, useMe } from "../../service/reads.ts";
import { workspace } from "../../service/workspace.ts";
import { adminKeys, useUsers, type UserFilter } from "./reads.ts";

/** All accounts: search, disable, enable, adjust credits. */
export function Users() {
  const { filter, page, narrow, go } = useNarrowed<UserFilter>({});
  return (
    <section aria-label="Accounts">
      <Filter
        submit="Search"
        narrow={(form) => {
          const state = textOf(form, "state");
          narrow({
            ...given(form, ["search"]),
            ...((state === "true" || state === "false") && { is_active: state }),
          });
        }}
      >
        <TextField label="Email, username or name" name="search" type="search" maxLength={200} />
        <Choice label="State" name="state">
          <option value="">All</option>
          <option value="true">Active</option>
          <option value="false">Disabled</option>
        </Choice>
      </Filter>
      <Loaded of={useUsers(page, filter)}>
        {({ users, total, pages }) => (
          <>
            <p class="muted">{plural(total, "account")}</p>
            <Table
              label="List of accounts"
              columns={["Account", "State", "Plan", "Credits", "Joined", "Last seen"]}
              hasActions
            >
              {users.map((user) => (
                <UserLine key={user.id} user={user} />
              ))}
            </Table>
            <Pager page={page} pages={pages} go={go} />
          </>
        )}
      </Loaded>
    </section>
  );
}

function UserLine({ user }: { user: api.ListedUser }) {
  const { data: me } = useMe();
  return (
    <tr>
      <td>
        {user.name} {user.is_superuser && <Badge kind="accent">Administrator</Badge>}
        <div class="muted small">
          {user.username} · {user.email}
          {!user.is_verified && " (email not confirmed)"}
        </div>
      </td>
      <td>
        <Badge kind={user.is_active ? "good" : "bad"}>{user.is_active ? "Active" : "Disabled"}</Badge>
        {user.disabled_at !== null && !user.is_active && (
          <div class="muted small">
            <Moment at={user.disabled_at} />
          </div>
        )}
      </td>
      <td>{stateWord(user.subscription_tier)}</td>
      <td>
        {number(user.total_credits)}
        <div class="muted small">{number(user.purchased_credits)} bought</div>
      </td>
      <td>
        <Moment at={user.created_at} />
      </td>
      <td>
        <Moment at={user.last_active_at} />
      </td>
      <td>
        <div class="row">
          {user.id !== me?.id && <UserStatus user={user} />}
          <Credits user={user} />
          {user.has_authenticator && <AuthenticatorOff user={user} />}
          {user.id !== me?.id && <Deletion user={user} />}
        </div>
      </td>
    </tr>
  );
}

function UserStatus({ user }: { user: api.ListedUser }) {
  const verb = user.is_active ? "Disable" : "Enable";
  return (
    <AskFirst
      label={`${verb} ${user.username}`}
      shown={verb}
      title={`${verb} ${user.username}?`}
      confirm={verb}
      isHarmless={!user.is_active}
      work={async (form) => {
        const path = { user: user.id };
        const body = { reason: textOf(form, "reason") || null };
        await (user.is_active
          ? workspace.request("POST", "/api/admin/users/{user}/disable", { path, body })
          : workspace.request("POST", "/api/admin/users/{user}/enable", { path, body }));
        stale(adminKeys.users, adminKeys.trail);
      }}
    >
      <p>
        {user.is_active
          ? "The account is signed out everywhere, its keys stop working, and its running tasks are stopped."
          : "The person can sign in again, and their keys work again."}
      </p>
      <TextField label="Reason (for the audit log)" name="reason" maxLength={500} />
    </AskFirst>
  );
}

function AuthenticatorOff({ user }: { user: api.ListedUser }) {
  return (
    <AskFirst
      label={`Turn off the authenticator app of ${user.username}`}
      shown="Turn off authenticator"
      title={`Turn off the authenticator app of ${user.username}?`}
      confirm="Turn off"
      work={async (form) => {
        const body = { reason: textOf(form, "reason") || null };
        await workspace.request("POST", "/api/admin/users/{user}/turn-off-authenticator", {
          path: { user: user.id },
          body,
        });
        stale(adminKeys.users, adminKeys.trail);
      }}
    >
      <p>
        For a person who has lost the app and the recovery codes. Make sure the request really comes from that
        person.
      </p>
      <TextField label="Reason (for the audit log)" name="reason" maxLength={500} />
    </AskFirst>
  );
}

function Deletion({ user }: { user: api.ListedUser }) {
  return (
    <AskFirst
      label={`Delete ${user.username}`}
      shown="Delete"
      title={`Delete ${user.username}?`}
      typed={user.username}
      confirm="Delete account"
      work={async () => {
        await workspace.request("DELETE", "/api/users/{user}", { path: { user: user.id } });
        stale(adminKeys.users, adminKeys.trail);
      }}
    >
      <p>The account goes with its projects, chats, keys and subscriptions. This cannot be undone.</p>
    </AskFirst>
  );
}

function Credits({ user }: { user: api.ListedUser }) {
  return (
    <AskFirst
      label={`Credits of ${user.username}`}
      shown="Credits"
      title={`Adjust credits of ${user.username}`}
      confirm="Adjust"
      isHarmless
      work={async (form) => {
        const body = { amount: Number(textOf(form, "amount")), reason: textOf(form, "reason") };
        await workspace.request("POST", "/api/admin/users/{user}/credits/adjust", {
          path: { user: user.id },
          body,
        });
        stale(adminKeys.users, adminKeys.trail, keys.credits);
      }}
    >
      <p>Their personal team has {plural(user.total_credits, "credit")}. One credit is one US cent.</p>
      <TextField
        label="Credits to add"
        name="amount"
        type="number"
        step={1}
        required
        hint="A negative number removes credits."
      />
      <TextField label="Reason (for the audit log)" name="reason" required maxLength={500} />
    </AskFirst>
  );
}
