export { beginDeviceSignIn } from "./begin-device-sign-in.ts";
export { decideDeviceSignIn } from "./decide-device-sign-in.ts";
export { lookUpDeviceSignIn } from "./look-up-device-sign-in.ts";
export { pollDeviceSignIn } from "./poll-device-sign-in.ts";
