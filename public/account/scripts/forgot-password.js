import { call, onSubmit, show } from "./api.js";

onSubmit("form", async ({ email }) => {
  await call("POST", "/api/auth/forgot-password", { email });
  show("sent-step", "ask-step");
});
