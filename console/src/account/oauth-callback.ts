import { goOn, keepPathAlone } from "./address.ts";
import { element, show, tryTo } from "./page.ts";
import { whoIsSignedIn } from "./service.ts";

const failed = new URLSearchParams(location.search).has("error");
keepPathAlone();

await tryTo(async () => {
  const user = failed ? undefined : await whoIsSignedIn();
  if (!user) return show("failed-step", "wait-step");
  element("who").textContent = user.email;
  show("done-step", "wait-step");
  goOn();
});
