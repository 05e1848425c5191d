import type { Answer } from "@agent-workspace/client";
import { ActionButton } from "../../parts/action-button.tsx";
import { stateWord } from "../../parts/badge.tsx";
import { StateFilter } from "../../parts/filter.tsx";
import { Loaded } from "../../parts/loaded.tsx";
import { Moment } from "../../parts/moment.tsx";
import { Pager } from "../../parts/pager.tsx";
import { Table } from "../../parts/table.tsx";
import { useNarrowed } from "../../parts/use-narrowed.ts";
import { stale } from "../../service/reads.ts";
import { workspace } from "../../service/workspace.ts";
import { adminKeys, usePaymentEvents, type EventState } from "./reads.ts";

const STATES = { received: "received", done: "done", ignored: "ignored", failed: "failed" } as const;

/** What the payment provider told the service, and what became of it. */
export function PaymentEvents() {
  const { filter: status, page, narrow, go } = useNarrowed<EventState>(undefined);
  return (
    <section aria-label="Payment events">
      <div class="filter">
        <StateFilter label="State" states={STATES} narrow={narrow} />
      </div>
      <Loaded of={usePaymentEvents(page, status)}>
        {({ events, pages }) => (
          <>
            {events.length === 0 ? (
              <p class="muted">No such payment events in the last 90 days.</p>
            ) : (
              <Events events={events} />
            )}
            <Pager page={page} pages={pages} go={go} />
          </>
        )}
      </Loaded>
    </section>
  );
}

type Events = Answer<"GET /api/admin/billing/events">["events"];

function Events({ events }: { events: Events }) {
  return (
    <Table label="Events" columns={["When", "Event", "State", "Attempts", "Error"]} hasActions>
      {events.map((event) => (
        <tr key={event.id}>
          <td>
            <Moment at={event.created_at} />
          </td>
          <td>
            {event.type}
            <div class="muted small wrapping">{event.id}</div>
          </td>
          <td>{stateWord(event.status)}</td>
          <td>{event.attempts}</td>
          <td>{event.error}</td>
          <td>
            {event.status !== "done" && (
              <ActionButton
                work={async () => {
                  const path = { payment_event: event.id };
                  await workspace.request("POST", "/api/admin/billing/events/{payment_event}/retry", {
                    path,
                  });
                  stale(adminKeys.events, adminKeys.jobs, adminKeys.trail);
                }}
              >
                Retry<span class="hidden"> {event.id}</span>
              </ActionButton>
            )}
          </td>
        </tr>
      ))}
    </Table>
  );
}
