/** A voice message. */
export interface Recording {
  bytes: Uint8Array<ArrayBuffer>;
  mimeType: string;
}

/** Writes down what is said in a recording. */
export interface Transcription {
  /**
   * Returns the text; empty for a recording without words. Throws `unavailable` when the server does not respond in time
   * or fails, and `provider_failed` when it refuses the recording or the service's key.
   */
  transcribe(recording: Recording): Promise<string>;
}
