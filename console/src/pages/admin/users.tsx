import type { api } from "@agent-workspace/client";
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
import { useMe } from "../../service/reads.ts";
import { useUsers, type UserFilter } from "./reads.ts";
import { UserMenu } from "./user-menu.tsx";

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
              columns={["Account", "State", "Plan", "Credits", "Last seen"]}
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
        <div class="muted small wrapping">
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
        <Moment at={user.last_active_at} />
        <div class="muted small">
          joined <Moment at={user.created_at} />
        </div>
      </td>
      <td>
        <UserMenu user={user} isOwn={user.id === me?.id} />
      </td>
    </tr>
  );
}
