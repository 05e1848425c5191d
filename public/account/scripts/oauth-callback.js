import { element, goOn, show, tryTo, whoIsSignedIn } from "./api.js";

const failed = new URLSearchParams(location.search).has("error");
history.replaceState(null, "", location.pathname);

await tryTo(async () => {
  const user = failed ? undefined : await whoIsSignedIn();
  if (!user) return show("failed-step", "wait-step");
  element("who").textContent = user.email;
  show("done-step", "wait-step");
  goOn();
});
