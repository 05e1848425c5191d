import { signInFirst } from "./address.ts";
import { element, onPress, onSubmit, show, tell, tryTo } from "./page.ts";
import { whoIsSignedIn, workspace } from "./service.ts";

/** How long a link that contains a key stays on the page. */
const KEY_LINK_MS = 60_000;

onPress("mint", async () => {
  const { deep_link, expires_at } = await workspace.request("POST", "/api/desktop/pair");
  const until = new Date(expires_at);
  const time = until.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" });
  openApp(
    deep_link,
    until.getTime() - Date.now(),
    `The app should open now. The link works once, until ${time}.`,
  );
});

// Older apps support only this link, which contains the key itself.
onSubmit("old-form", async (field) => {
  const body = { device_name: field("device_name") };
  const { token } = await workspace.request("POST", "/api/desktop/pair/complete", { body });
  const link = `workspace://auth/callback?token=${encodeURIComponent(token)}`;
  openApp(link, KEY_LINK_MS, "The app should open now. You can unpair it on the page of paired apps.");
});

let forgetting: ReturnType<typeof setTimeout> | undefined;

/** Opens the app, and shows the link for a while, because a browser may require a click on it. */
function openApp(link: string, lifeMs: number, words: string): void {
  const open = element("open", HTMLAnchorElement);
  open.href = link;
  open.hidden = false;
  tell(words);
  clearTimeout(forgetting);
  forgetting = setTimeout(() => {
    open.hidden = true;
    open.removeAttribute("href");
    tell("The link is no longer shown. Pair again if the app has not opened.");
  }, lifeMs);
  location.assign(link);
}

await tryTo(async () => {
  const user = await whoIsSignedIn();
  if (!user) return signInFirst();
  element("who").textContent = user.email;
  element("more").hidden = false;
  show("ask-step", "wait-step");
});
