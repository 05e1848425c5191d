import { call, onPress, show, takeToken } from "./api.js";

const token = takeToken();
if (token === "") show("broken-step", "ask-step");

// Requires a click, because mail scanners open links, too.
onPress("confirm", async () => {
  try {
    await call("POST", "/api/auth/verify", { token });
  } catch (error) {
    if (error.detail !== "VERIFY_USER_ALREADY_VERIFIED") throw error;
  }
  show("done-step", "ask-step");
});
