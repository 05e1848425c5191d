import type { Endpoint } from "#src/http/endpoint.ts";
import { cookieLogin } from "./cookie-login.ts";
import { csrf } from "./csrf.ts";
import { deviceEndpoints } from "./device/index.ts";
import { jwtLogin } from "./jwt-login.ts";
import { jwtLogout } from "./jwt-logout.ts";
import { login } from "./login.ts";
import { logout } from "./logout.ts";
import { passkeySignInEndpoints } from "./passkeys/index.ts";
import { passwordForgot } from "./password-forgot.ts";
import { passwordReset } from "./password-reset.ts";
import { refresh } from "./refresh.ts";
import { register } from "./register.ts";
import { twoFactorSend } from "./two-factor-send.ts";
import { twoFactorVerify } from "./two-factor-verify.ts";
import { verification } from "./verification.ts";
import { verificationRequest } from "./verification-request.ts";

export const authEndpoints: readonly Endpoint[] = [
  register,
  login,
  jwtLogin,
  cookieLogin,
  twoFactorSend,
  twoFactorVerify,
  passwordForgot,
  passwordReset,
  verificationRequest,
  verification,
  refresh,
  csrf,
  logout,
  jwtLogout,
  ...deviceEndpoints,
  ...passkeySignInEndpoints,
];
