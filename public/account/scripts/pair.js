import {
  attempt,
  callSignedIn,
  element,
  onPress,
  onSubmit,
  show,
  signInFor,
  tell,
  tryTo,
  whoIsSignedIn,
} from "./api.js";

const PLATFORMS = new Map(Array.from(element("platform").options, ({ value, text }) => [value, text]));

const address = location.href;
const given = new URLSearchParams(location.search).get("platform");
history.replaceState(null, "", location.pathname);

/** The code that is being looked at. A code is never taken from an address: one click would link whoever sent it. */
let entered;

onSubmit("form", async ({ platform, code }) => {
  const link = { platform, pairing_code: code };
  try {
    const shown = await callSignedIn("POST", "/api/gateway/pair/preview", link);
    entered = link;
    review(shown);
  } catch (error) {
    element("code").select();
    throw error;
  }
});

function review({ platform, platform_user_id, platform_username, channel }) {
  element("sender").textContent = `${nameOf(platform)}: ${platform_username || platform_user_id}`;
  element("sender-id").textContent = platform_user_id;
  element("bot").textContent = channel.description;
  element("bot-name").textContent = channel.name;
  show("review-step", "ask-step");
}

onPress("link", async () => {
  await callSignedIn("POST", "/api/gateway/pair/verify", entered);
  element("form").reset();
  element("platform").value = entered.platform;
  await listIdentities();
  show("ask-step", "review-step");
  tell(`Your ${nameOf(entered.platform)} account is linked. Write to the bot again: it replies to you now.`);
});

onPress("back", async () => {
  element("form").reset();
  show("ask-step", "review-step");
  tell("Nothing was linked.");
});

async function listIdentities() {
  const identities = await callSignedIn("GET", "/api/gateway/identities");
  element("none").hidden = identities.length > 0;
  element("identities").replaceChildren(...identities.map(lineOf));
}

/** Builds one line of the list. All content is inserted as text. */
function lineOf({ id, platform, platform_user_id, platform_username, paired_at, channel }) {
  const line = document.createElement("li");
  const what = line.appendChild(document.createElement("div"));
  what.className = "what";
  const name = `${nameOf(platform)}: ${platform_username || platform_user_id}`;
  what.appendChild(document.createElement("p")).textContent = name;
  const details = what.appendChild(document.createElement("p"));
  details.className = "muted small";
  details.textContent = `${platform_user_id} · linked on ${new Date(paired_at).toLocaleDateString()} · ${channel.description}`;
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
        tell(`Your ${nameOf(platform)} account is no longer linked with “${channel.name}”.`);
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
  if (PLATFORMS.has(given)) element("platform").value = given;
  element(PLATFORMS.has(given) ? "code" : "platform").focus();
});
