import type { api } from "@agent-workspace/client";
import { useState } from "preact/hooks";
import { ActionButton } from "../../parts/action-button.tsx";
import { AskFirst } from "../../parts/ask-first.tsx";
import { CopyButton } from "../../parts/copy-button.tsx";
import { Loaded } from "../../parts/loaded.tsx";
import { Moment } from "../../parts/moment.tsx";
import { keys, stale } from "../../service/reads.ts";
import { workspace } from "../../service/workspace.ts";
import { accountKeys, useDevices } from "./reads.ts";

/** Desktop apps that work for the person, each with a key of its own. */
export function Devices() {
  return (
    <section aria-labelledby="devices">
      <h2 id="devices">Desktop apps</h2>
      <Loaded of={useDevices()}>
        {(devices) => (
          <>
            {devices.length === 0 && (
              <p class="muted">
                No desktop app is paired yet. Create a pairing link, and open it on the computer with the app.
              </p>
            )}
            <ul class="list">
              {devices.map((device) => (
                <Device key={device.id} device={device} />
              ))}
            </ul>
          </>
        )}
      </Loaded>
      <Pairing />
    </section>
  );
}

function Device({ device }: { device: api.DesktopDevice }) {
  return (
    <li>
      <span class="told">
        {device.name}{" "}
        <span class="muted small">
          {[device.platform, device.app_version].filter((part) => part !== null).join(" ")} · seen{" "}
          <Moment at={device.last_seen_at} />
        </span>
      </span>
      {device.is_active ? (
        <AskFirst
          label={`Unpair ${device.name}`}
          shown="Unpair"
          title={`Unpair ${device.name}?`}
          confirm="Unpair"
          work={async () => {
            const path = { device: device.id };
            await workspace.request("DELETE", "/api/desktop/devices/{device}", { path });
            stale(accountKeys.devices, keys.apiKeys);
          }}
        >
          <p>The app is signed out at once. To use it again, pair it again.</p>
        </AskFirst>
      ) : (
        <span class="muted">unpaired</span>
      )}
    </li>
  );
}

function Pairing() {
  const [link, setLink] = useState<{ deep_link: string; expires_at: string }>();
  return (
    <>
      <div class="row">
        <ActionButton
          work={async () => setLink(await workspace.request("POST", "/api/desktop/pair", { body: {} }))}
        >
          Create pairing link
        </ActionButton>
      </div>
      {link && (
        <div class="notice" role="status">
          <p>
            Open this link on the computer with the app. It pairs one app and expires{" "}
            <Moment at={link.expires_at} />.
          </p>
          <div class="row">
            <code class="wrapping">{link.deep_link}</code>
            <CopyButton text={link.deep_link} label="Copy link" />
          </div>
        </div>
      )}
    </>
  );
}
