import {
  attempt,
  call,
  callSignedIn,
  element,
  onPress,
  show,
  signInFirst,
  tryTo,
  whoIsSignedIn,
} from "./api.js";

async function listSessions() {
  const sessions = await callSignedIn("GET", "/api/auth/sessions");
  element("end-others").hidden = sessions.length < 2;
  element("sessions").replaceChildren(
    ...sessions.map((session) =>
      row({
        name: session.client_name ?? deviceOf(session.user_agent),
        tag: session.is_current ? "This browser" : undefined,
        facts: `${session.ip_address} · last used ${momentOf(session.last_used_at)}`,
        action: session.is_current ? undefined : "Sign out",
        run: async () => {
          await callSignedIn("DELETE", `/api/auth/sessions/${session.id}`);
          await listSessions();
        },
      }),
    ),
  );
}

async function listDevices() {
  const devices = (await callSignedIn("GET", "/api/desktop/devices")).filter(({ is_active }) => is_active);
  element("no-devices").hidden = devices.length > 0;
  element("devices").replaceChildren(
    ...devices.map((device) =>
      row({
        name: device.name,
        facts: [device.platform, device.app_version, seen(device.last_seen_at)].filter(Boolean).join(" · "),
        action: "Unpair",
        run: async () => {
          await callSignedIn("DELETE", `/api/desktop/devices/${device.id}`);
          await listDevices();
        },
      }),
    ),
  );
}

/** Builds one line of a list. All content is inserted as text. */
function row({ name, tag, facts, action, run }) {
  const line = document.createElement("li");
  const what = line.appendChild(document.createElement("div"));
  what.className = "what";
  const title = what.appendChild(document.createElement("p"));
  title.textContent = name;
  if (tag) {
    const label = title.appendChild(document.createElement("span"));
    label.className = "tag";
    label.textContent = tag;
  }
  const details = what.appendChild(document.createElement("p"));
  details.className = "muted small";
  details.textContent = facts;
  if (action) {
    const button = line.appendChild(document.createElement("button"));
    button.type = "button";
    button.textContent = action;
    button.setAttribute("aria-label", `${action}: ${name}`);
    button.addEventListener("click", () => void attempt(button, run));
  }
  return line;
}

const BROWSERS = [
  [/\bEdg\//, "Edge"],
  [/\bOPR\//, "Opera"],
  [/\bFirefox\//, "Firefox"],
  [/\b(Headless)?Chrome\//, "Chrome"],
  [/\bSafari\//, "Safari"],
];
const SYSTEMS = [
  [/\bAndroid\b/, "Android"],
  [/\b(iPhone|iPad)\b/, "iOS"],
  [/\bWindows\b/, "Windows"],
  [/\bMac OS X\b/, "macOS"],
  [/\bLinux\b/, "Linux"],
];

/** Returns a readable name for a `User-Agent`, or the text itself if it is unknown. */
function deviceOf(userAgent) {
  const nameIn = (names) => names.find(([pattern]) => pattern.test(userAgent))?.[1];
  const [browser, system] = [nameIn(BROWSERS), nameIn(SYSTEMS)];
  if (browser && system) return `${browser} on ${system}`;
  return browser ?? (userAgent.slice(0, 100) || "Unknown device");
}

function momentOf(text) {
  return new Date(text).toLocaleString([], { dateStyle: "medium", timeStyle: "short" });
}

function seen(text) {
  return text ? `last seen ${momentOf(text)}` : "not seen yet";
}

onPress("end-others", async () => {
  await callSignedIn("DELETE", "/api/auth/sessions");
  await listSessions();
});

onPress("sign-out", async () => {
  await call("POST", "/api/auth/logout", {});
  location.replace("/login");
});

await tryTo(async () => {
  const user = await whoIsSignedIn();
  if (!user) return signInFirst();
  element("who").textContent = user.email;
  await Promise.all([listSessions(), listDevices()]);
  show("account-step", "wait-step");
});
