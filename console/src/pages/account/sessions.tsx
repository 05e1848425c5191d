import { ActionButton } from "../../parts/action-button.tsx";
import { AskFirst } from "../../parts/ask-first.tsx";
import { Badge } from "../../parts/badge.tsx";
import { Loaded } from "../../parts/loaded.tsx";
import { Moment } from "../../parts/moment.tsx";
import { stale } from "../../service/reads.ts";
import { workspace } from "../../service/workspace.ts";
import { accountKeys, useSessions } from "./reads.ts";

/** Where the person is signed in. */
export function Sessions() {
  return (
    <section aria-labelledby="sessions">
      <h2 id="sessions">Sessions</h2>
      <Loaded of={useSessions()}>
        {(sessions) => (
          <>
            <ul class="list">
              {sessions.map((session) => (
                <li key={session.id}>
                  <span class="told">
                    {session.client_name ?? deviceOf(session.user_agent)}{" "}
                    <span class="muted small">
                      {session.ip_address} · last used <Moment at={session.last_used_at} /> · signed in{" "}
                      <Moment at={session.created_at} />
                    </span>
                  </span>
                  {session.is_current ? (
                    <Badge kind="accent">This browser</Badge>
                  ) : (
                    <ActionButton
                      work={async () => {
                        await workspace.sessions.end(session.id);
                        stale(accountKeys.sessions);
                      }}
                    >
                      Sign out
                      <span class="hidden"> {session.client_name ?? deviceOf(session.user_agent)}</span>
                    </ActionButton>
                  )}
                </li>
              ))}
            </ul>
            <div class="row">
              {sessions.length > 1 && (
                <AskFirst
                  label="Sign out everywhere else"
                  title="Sign out everywhere else?"
                  confirm="Sign out"
                  work={async () => {
                    await workspace.sessions.endOthers();
                    stale(accountKeys.sessions, accountKeys.connectedApps);
                  }}
                >
                  <p>
                    Your other devices have to sign in again, and connected apps are disconnected. You stay
                    signed in here.
                  </p>
                </AskFirst>
              )}
              <AskFirst
                label="Sign out everywhere"
                title="Sign out everywhere?"
                confirm="Sign out"
                work={async () => {
                  // A logout leaves connected apps as they are.
                  await workspace.sessions.endOthers();
                  await workspace.request("POST", "/api/auth/jwt/logout");
                  location.replace("/login");
                }}
              >
                <p>
                  You are signed out on every device, including this one. Connected apps are disconnected.
                </p>
              </AskFirst>
            </div>
          </>
        )}
      </Loaded>
    </section>
  );
}

const BROWSERS = ["Edg", "OPR", "Firefox", "Chrome", "Safari"] as const;
const SHOWN: Partial<Record<(typeof BROWSERS)[number], string>> = { Edg: "Edge", OPR: "Opera" };
const SYSTEMS = ["Android", "iPhone", "iPad", "Windows", "Mac OS", "Linux"];

/** A browser and its system, as far as they can be told from how it names itself; else what it says. */
function deviceOf(agent: string): string {
  const browser = BROWSERS.find((name) => agent.includes(`${name}/`));
  const system = SYSTEMS.find((name) => agent.includes(name));
  if (!browser) return agent || "Unknown device";
  return [SHOWN[browser] ?? browser, ...(system ? [`on ${system}`] : [])].join(" ");
}
