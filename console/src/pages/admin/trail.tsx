import type { api } from "@agent-workspace/client";
import { stateWord } from "../../parts/badge.tsx";
import { Details } from "../../parts/details.tsx";
import { TextField } from "../../parts/fields.tsx";
import { Filter } from "../../parts/filter.tsx";
import { given } from "../../parts/form-text.ts";
import { Loaded } from "../../parts/loaded.tsx";
import { Moment } from "../../parts/moment.tsx";
import { Pager } from "../../parts/pager.tsx";
import { Table } from "../../parts/table.tsx";
import { useNarrowed } from "../../parts/use-narrowed.ts";
import { useTrail } from "./reads.ts";

/** What administrators did to accounts, newest first. */
export function Trail() {
  const { filter, page, narrow, go } = useNarrowed<{ search?: string }>({});
  return (
    <section aria-label="Audit log">
      <Filter submit="Search" narrow={(form) => narrow(given(form, ["search"]))}>
        <TextField
          label="Action, target, reason or administrator"
          name="search"
          type="search"
          maxLength={200}
        />
      </Filter>
      <Loaded of={useTrail(page, filter)}>
        {({ logs, pages }) => (
          <>
            {logs.length === 0 ? <p class="muted">No matching actions.</p> : <Actions actions={logs} />}
            <Pager page={page} pages={pages} go={go} />
          </>
        )}
      </Loaded>
    </section>
  );
}

function Actions({ actions }: { actions: readonly api.AdminAction[] }) {
  return (
    <Table label="Actions" columns={["When", "Who", "Action", "Target", "Reason", "Details"]}>
      {actions.map((action) => (
        <tr key={action.id}>
          <td>
            <Moment at={action.created_at} />
          </td>
          <td>{action.admin_name ?? "Deleted account"}</td>
          <td>{stateWord(action.action_type.replaceAll(".", " "))}</td>
          <td>
            {stateWord(action.target_type)}
            <div class="muted small wrapping">{action.target_id}</div>
          </td>
          <td>{action.reason}</td>
          <td>
            <Details of={action.details} />
          </td>
        </tr>
      ))}
    </Table>
  );
}
