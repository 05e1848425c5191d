import { call, onSubmit, Refusal, show, takeToken } from "./api.js";

const token = takeToken();
if (token === "") show("broken-step", "password-step");

onSubmit("form", async ({ password, again }) => {
  if (password !== again) throw new Refusal(0, { detail: "The two passwords are not the same." });
  await call("POST", "/api/auth/reset-password", { token, password });
  show("done-step", "password-step");
});
