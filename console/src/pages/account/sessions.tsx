import { ActionButton } from "../../parts/action-button.tsx";
import { AskFirst } from "../../parts/ask-first.tsx";
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
                      {session.ip_address} · used <Moment at={session.last_used_at} /> · since{" "}
                      <Moment at={session.created_at} />
                    </span>
                  </span>
                  {session.is_current ? (
                    <strong>This one</strong>
                  ) : (
                    <ActionButton
                      work={async () => {
                        await workspace.sessions.end(session.id);
                        stale(accountKeys.sessions);
                      }}
                    >
                      End it
                      <span class="hidden"> {session.client_name ?? deviceOf(session.user_agent)}</span>
                    </ActionButton>
                  )}
                </li>
              ))}
            </ul>
            <div class="row">
              {sessions.length > 1 && (
                <AskFirst
                  label="End all others"
                  title="End all other sessions?"
                  confirm="End them"
                  work={async () => {
                    await workspace.sessions.endOthers();
                    stale(accountKeys.sessions);
                  }}
                >
                  <p>The devices of the other sessions have to sign in again. This session goes on.</p>
                </AskFirst>
              )}
              <AskFirst
                label="Sign out everywhere"
                title="Sign out everywhere?"
                confirm="Sign out"
                work={async () => {
                  await workspace.request("POST", "/api/auth/jwt/logout");
                  location.replace("/login");
                }}
              >
                <p>All your sessions end, also this one.</p>
              </AskFirst>
            </div>
            <p class="muted">
              The page <a href="/account/sessions">Sessions</a> shows the same without the console.
            </p>
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
  if (!browser) return agent || "An unknown device";
  return [SHOWN[browser] ?? browser, ...(system ? [`on ${system}`] : [])].join(" ");
}
