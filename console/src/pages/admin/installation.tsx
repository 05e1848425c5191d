import { ActionButton } from "../../parts/action-button.tsx";
import { stateWord } from "../../parts/badge.tsx";
import { Loaded } from "../../parts/loaded.tsx";
import { Moment } from "../../parts/moment.tsx";
import { stale } from "../../service/reads.ts";
import { workspace } from "../../service/workspace.ts";
import { adminKeys, useGateway, useReadiness } from "./reads.ts";

/** Whether the installation works: what it depends on, and its connections to chat platforms. */
export function Installation() {
  return (
    <>
      <section aria-labelledby="ready">
        <h2 id="ready">Readiness</h2>
        <Loaded of={useReadiness()}>
          {({ status, database, queue, redis }) => (
            <dl class="facts">
              <dt>Service</dt>
              <dd>{status === "ready" ? "Ready" : "Not ready"}</dd>
              <dt>Database</dt>
              <dd>{stateWord(database)}</dd>
              <dt>Queue</dt>
              <dd>{stateWord(queue)}</dd>
              <dt>Redis</dt>
              <dd>{stateWord(redis)}</dd>
            </dl>
          )}
        </Loaded>
      </section>
      <section aria-labelledby="gateway">
        <h2 id="gateway">Gateway</h2>
        <Loaded of={useGateway()}>
          {(gateway) => (
            <>
              {gateway.notice !== null && <p class="notice bad">{gateway.notice}</p>}
              <dl class="facts">
                <dt>State</dt>
                <dd>{stateWord(gateway.status)}</dd>
                <dt>Shard</dt>
                <dd>
                  {gateway.shard} of {gateway.shards}
                </dd>
                <dt>Connected</dt>
                <dd>
                  {gateway.connected} of {gateway.adapters} channels
                </dd>
                <dt>Last synced</dt>
                <dd>
                  <Moment at={gateway.last_sync} />
                </dd>
                <dt>Running since</dt>
                <dd>
                  <Moment at={gateway.started_at} />
                </dd>
              </dl>
            </>
          )}
        </Loaded>
        <div class="row">
          <ActionButton
            work={async () => {
              await workspace.request("POST", "/api/gateway/reload");
              stale(adminKeys.installation);
            }}
          >
            Reconnect all
          </ActionButton>
          <button type="button" onClick={() => stale(adminKeys.installation)}>
            Refresh
          </button>
        </div>
      </section>
    </>
  );
}
