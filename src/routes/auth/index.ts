import type { Endpoint } from "#src/http/endpoint.ts";
import { jwtLogin } from "./jwt-login.ts";
import { jwtLogout } from "./jwt-logout.ts";
import { login } from "./login.ts";
import { logout } from "./logout.ts";
import { refresh } from "./refresh.ts";
import { register } from "./register.ts";

export const authEndpoints: readonly Endpoint[] = [register, login, jwtLogin, refresh, logout, jwtLogout];
