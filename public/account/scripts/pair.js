import {
  attempt,
  callSignedIn,
  element,
  onSubmit,
  show,
  signInFor,
  tell,
  tryTo,
  whoIsSignedIn,
} from "./api.js";

const PLATFORMS = new Map(Array.from(element("platform").options, ({ value, text }) => [value, text]));

const address = location.href;
const given = {
  platform: new URLSearchParams(location.search).get("platform"),
  // In the fragment, because the code is a secret: a fragment is sent to no server.
  code: new URLSearchParams(location.hash.slice(1)).get("code"),
};
history.replaceState(null, "", location.pathname);

onSubmit("form", async ({ platform, code }) => {
  try {
    await callSignedIn("POST", "/api/gateway/pair/verify", { platform, pairing_code: code });
  } catch (error) {
    element("code").select();
    throw error;
  }
  element("form").reset();
  element("platform").value = platform;
  await listIdentities();
  tell(`Your ${nameOf(platform)} account is linked. Write to the bot again: it replies to you now.`);
});

async function listIdentities() {
  const identities = await callSignedIn("GET", "/api/gateway/identities");
  element("none").hidden = identities.length > 0;
  element("identities").replaceChildren(...identities.map(lineOf));
}

/** Builds one line of the list. All content is inserted as text. */
function lineOf({ id, platform, platform_user_id, platform_username, paired_at }) {
  const line = document.createElement("li");
  const what = line.appendChild(document.createElement("div"));
  what.className = "what";
  const name = `${nameOf(platform)}: ${platform_username || platform_user_id}`;
  what.appendChild(document.createElement("p")).textContent = name;
  const details = what.appendChild(document.createElement("p"));
  details.className = "muted small";
  details.textContent = `${platform_user_id} · linked on ${new Date(paired_at).toLocaleDateString()}`;
  const button = line.appendChild(document.createElement("button"));
  button.type = "button";
  button.textContent = "Unlink";
  button.setAttribute("aria-label", `Unlink ${name}`);
  button.addEventListener(
    "click",
    () =>
      void attempt(button, async () => {
        await callSignedIn("DELETE", `/api/gateway/identities/${id}`);
        await listIdentities();
        tell(`Your ${nameOf(platform)} account is no longer linked.`);
      }),
  );
  return line;
}

function nameOf(platform) {
  return PLATFORMS.get(platform) ?? platform;
}

await tryTo(async () => {
  const user = await whoIsSignedIn();
  if (!user) return signInFor(address);
  element("who").textContent = user.email;
  await listIdentities();
  element("linked").hidden = false;
  show("ask-step", "wait-step");
  if (PLATFORMS.has(given.platform)) element("platform").value = given.platform;
  if (given.code) element("code").value = given.code;
  element(given.code ? "code" : "platform").focus();
});
