import { call, goOn, onSubmit } from "./api.js";

onSubmit("form", async ({ email, name, password }) => {
  await call("POST", "/api/auth/register", { email, name, password });
  goOn();
});
