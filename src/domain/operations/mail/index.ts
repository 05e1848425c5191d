export { deliverMail } from "./deliver-mail.ts";
export {
  addressInUse,
  channelNotice,
  emailChanged,
  emailVerification,
  loginCode,
  passkeyAdded,
  passkeyRemoved,
  passwordChanged,
  passwordReset,
  scheduleNotice,
  serverNotice,
  taskNotice,
  teamInvitation,
} from "./messages.ts";
export { getsMails } from "./queries.ts";
export { queueMail } from "./queue-mail.ts";
export { requireMail } from "./require-mail.ts";
export type { MailKind, OutgoingMail } from "./sealed-mail.ts";
export { sendMail } from "./send-mail.ts";
export { queueNotice, sendNotice } from "./send-notice.ts";
export { mailDue, type MailDeps } from "./retry.ts";
