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
          <section aria-label="Subscriptions">
            <h2>Subscriptions</h2>
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
        {!is_active ? "ended" : cancel_at_period_end ? "ends" : "renews"} <Moment at={current_period_end} />
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
        Resume {name}
      </ActionButton>
    );
  }
  return (
    <AskFirst
      label={`Cancel ${name}…`}
      confirm="Cancel subscription"
      title={`Cancel the subscription to ${name}?`}
      work={async () => {
        await workspace.request("POST", "/api/marketplace/subscriptions/{subscription}/cancel", { path });
        stale(MARKETPLACE);
      }}
    >
      <p>
        The team keeps it until the end of the paid period: <Moment at={current_period_end} />.
      </p>
    </AskFirst>
  );
}
