import type { api } from "@agent-workspace/client";
import { ActionButton } from "../../parts/action-button.tsx";
import { AskFirst } from "../../parts/ask-first.tsx";
import { Loaded } from "../../parts/loaded.tsx";
import { Moment } from "../../parts/moment.tsx";
import { stale } from "../../service/reads.ts";
import { useTeamRole } from "../../service/roles.ts";
import { workspace } from "../../service/workspace.ts";
import { MARKETPLACE, useSubscriptions } from "./reads.ts";

/** The agents that the team pays for every month; its administrators end and resume that. */
export function Subscriptions() {
  const isAdministrator = useTeamRole() === "admin";
  return (
    <Loaded of={useSubscriptions()}>
      {(found) =>
        found.length > 0 && (
          <section aria-label="Paid every month">
            <h2>Paid every month</h2>
            <ul class="list">
              {found.map((subscription) => (
                <Line key={subscription.id} {...{ subscription, isAdministrator }} />
              ))}
            </ul>
          </section>
        )
      }
    </Loaded>
  );
}

type Subscription = api.AgentSubscription;

function Line({ subscription, isAdministrator }: { subscription: Subscription; isAdministrator: boolean }) {
  const { name, is_active, cancel_at_period_end, current_period_end } = subscription;
  return (
    <li>
      <span>{name}</span>
      <span class="muted small">
        {!is_active ? "is over since" : cancel_at_period_end ? "ends" : "is paid again"}{" "}
        <Moment at={current_period_end} />
      </span>
      {is_active && isAdministrator && <Change {...subscription} />}
    </li>
  );
}

function Change({
  name,
  subscription_id: subscription,
  cancel_at_period_end,
  current_period_end,
}: Subscription) {
  const path = { subscription };
  if (cancel_at_period_end) {
    return (
      <ActionButton
        work={async () => {
          await workspace.request("POST", "/api/marketplace/subscriptions/{subscription}/renew", { path });
          stale(MARKETPLACE);
        }}
      >
        Go on paying for {name}
      </ActionButton>
    );
  }
  return (
    <AskFirst
      label={`Stop paying for ${name} …`}
      confirm="Stop paying"
      title={`Stop paying for ${name}?`}
      work={async () => {
        await workspace.request("POST", "/api/marketplace/subscriptions/{subscription}/cancel", { path });
        stale(MARKETPLACE);
      }}
    >
      <p>
        The team keeps it until the end of what is paid: <Moment at={current_period_end} />.
      </p>
    </AskFirst>
  );
}
