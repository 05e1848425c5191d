import type { api } from "@agent-workspace/client";
import { ActionButton } from "../../parts/action-button.tsx";
import { stateWord } from "../../parts/badge.tsx";
import { Details } from "../../parts/details.tsx";
import { Choice, TextField } from "../../parts/fields.tsx";
import { Filter } from "../../parts/filter.tsx";
import { given } from "../../parts/form-text.ts";
import { Loaded } from "../../parts/loaded.tsx";
import { Moment } from "../../parts/moment.tsx";
import { Pager } from "../../parts/pager.tsx";
import { saveText } from "../../parts/save-text.ts";
import { Table } from "../../parts/table.tsx";
import { useNarrowed } from "../../parts/use-narrowed.ts";
import { workspace } from "../../service/workspace.ts";
import { useAuditLog, useMembers, type AuditFilter } from "./reads.ts";

const FIELDS = ["action", "resource_type", "user_id", "from_date", "to_date"] as const;

/** What was done in a team, newest first, for its administrators. */
export function AuditLog({ team }: { team: api.Team }) {
  const { filter, page, narrow, go } = useNarrowed<AuditFilter>({});
  const log = useAuditLog(team.slug, page, filter);
  const save = async () => {
    const path = { team: team.slug };
    const csv = await workspace.request("POST", "/api/teams/{team}/audit-log/export", { path, body: filter });
    saveText(csv, `audit-log-${team.slug}.csv`, "text/csv");
  };
  return (
    <section aria-label="Audit log">
      <Fields team={team.slug} narrow={narrow} />
      <div class="row">
        <ActionButton work={save}>Export as CSV</ActionButton>
      </div>
      <Loaded of={log}>
        {({ entries, pages }) => (
          <>
            {entries.length === 0 && <p class="muted">No matching entries.</p>}
            {entries.length > 0 && <Entries entries={entries} />}
            <Pager page={page} pages={pages} go={go} />
          </>
        )}
      </Loaded>
    </section>
  );
}

function Fields({ team, narrow }: { team: string; narrow: (filter: AuditFilter) => void }) {
  const { data: members = [] } = useMembers(team);
  return (
    <Filter submit="Filter" narrow={(form) => narrow(given(form, FIELDS))}>
      <Choice label="Who" name="user_id">
        <option value="">Anyone</option>
        {members.map(({ user_id, name }) => (
          <option key={user_id} value={user_id}>
            {name}
          </option>
        ))}
      </Choice>
      <TextField label="Action" name="action" maxLength={100} placeholder="member.joined" />
      <TextField label="Target" name="resource_type" maxLength={100} placeholder="api_key" />
      <TextField label="From" name="from_date" type="date" />
      <TextField label="Until" name="to_date" type="date" />
    </Filter>
  );
}

/** `member.role_changed` as `Member: role changed`. */
function actionInWords(action: string): string {
  const [thing = "", ...what] = action.split(".");
  return what.length === 0 ? stateWord(thing) : `${stateWord(thing)}: ${what.join(" ").replaceAll("_", " ")}`;
}

function Entries({ entries }: { entries: readonly api.AuditEntry[] }) {
  return (
    <Table label="Entries" columns={["When", "Who", "Action", "Target", "Details"]}>
      {entries.map((entry) => (
        <tr key={entry.id}>
          <td>
            <Moment at={entry.created_at} />
          </td>
          <td>{entry.user_name ?? "Deleted account"}</td>
          <td>{actionInWords(entry.action)}</td>
          <td>
            {stateWord(entry.resource_type)}
            {entry.project_name !== null && ` in ${entry.project_name}`}
          </td>
          <td>
            <Details of={entry.details} />
          </td>
        </tr>
      ))}
    </Table>
  );
}
