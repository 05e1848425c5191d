import { UnauthorizedError } from "@agent-workspace/client";
import { signInFirst } from "./address.ts";
import { lineOf, momentOf } from "./line.ts";
import { element, onPress, show, tryTo } from "./page.ts";
import { visitor, whoIsSignedIn, workspace } from "./service.ts";

async function listSessions() {
  const sessions = await workspace.sessions.list();
  element("end-others").hidden = sessions.length < 2;
  element("sessions").replaceChildren(
    ...sessions.map((session) =>
      lineOf({
        name: session.client_name ?? deviceOf(session.user_agent),
        tag: session.is_current ? "This browser" : undefined,
        facts: [session.ip_address, `last used ${momentOf(session.last_used_at)}`],
        action: session.is_current ? undefined : "Sign out",
        run: async () => {
          await workspace.sessions.end(session.id);
          await listSessions();
        },
      }),
    ),
  );
}

async function listApps() {
  const apps = await workspace.request("GET", "/api/auth/connected-apps");
  element("no-apps").hidden = apps.length > 0;
  element("apps").replaceChildren(
    ...apps.map((app) =>
      lineOf({
        name: app.client_name,
        facts: [
          app.returns_to === "this machine" ? "on your computer" : `at ${app.returns_to}`,
          `team ${app.team}`,
          app.last_used_at ? `last used ${momentOf(app.last_used_at)}` : "not used yet",
          app.permissions.join("; "),
        ],
        action: "Disconnect",
        run: async () => {
          const path = { connected_app: app.id };
          await workspace.request("DELETE", "/api/auth/connected-apps/{connected_app}", { path });
          await listApps();
        },
      }),
    ),
  );
}

async function listDevices() {
  const all = await workspace.request("GET", "/api/desktop/devices");
  const devices = all.filter(({ is_active }) => is_active);
  element("no-devices").hidden = devices.length > 0;
  element("devices").replaceChildren(
    ...devices.map((device) =>
      lineOf({
        name: device.name,
        facts: [
          device.platform,
          device.app_version,
          device.last_seen_at ? `last seen ${momentOf(device.last_seen_at)}` : "not seen yet",
        ],
        action: "Unpair",
        run: async () => {
          await workspace.request("DELETE", "/api/desktop/devices/{device}", { path: { device: device.id } });
          await listDevices();
        },
      }),
    ),
  );
}

type Names = readonly (readonly [RegExp, string])[];
const BROWSERS: Names = [
  [/\bEdg\//u, "Edge"],
  [/\bOPR\//u, "Opera"],
  [/\bFirefox\//u, "Firefox"],
  [/\b(Headless)?Chrome\//u, "Chrome"],
  [/\bSafari\//u, "Safari"],
];
const SYSTEMS: Names = [
  [/\bAndroid\b/u, "Android"],
  [/\b(iPhone|iPad)\b/u, "iOS"],
  [/\bWindows\b/u, "Windows"],
  [/\bMac OS X\b/u, "macOS"],
  [/\bLinux\b/u, "Linux"],
];

/** Returns a readable name for a `User-Agent`, or the text itself if it is unknown. */
function deviceOf(userAgent: string): string {
  const nameIn = (names: Names) => names.find(([pattern]) => pattern.test(userAgent))?.[1];
  const [browser, system] = [nameIn(BROWSERS), nameIn(SYSTEMS)];
  if (browser !== undefined && system !== undefined) return `${browser} on ${system}`;
  return browser ?? (userAgent.slice(0, 100) || "Unknown device");
}

onPress("end-others", async () => {
  await workspace.sessions.endOthers();
  await Promise.all([listSessions(), listApps()]);
});

onPress("sign-out", async () => {
  // A logout leaves connected apps as they are.
  await workspace.sessions.endOthers().catch((error: unknown) => {
    if (!(error instanceof UnauthorizedError)) throw error;
  });
  await visitor.request("POST", "/api/auth/logout");
  location.replace("/login");
});

await tryTo(async () => {
  const user = await whoIsSignedIn();
  if (!user) return signInFirst();
  element("who").textContent = user.email;
  await Promise.all([listSessions(), listApps(), listDevices()]);
  show("account-step", "wait-step");
});
