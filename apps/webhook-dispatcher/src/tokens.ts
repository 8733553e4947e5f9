/** Injection tokens of this service. */
export const DELIVERIES = Symbol('Deliveries');
export const RECEIVERS = Symbol('Receivers');
export const DELIVERY_QUEUE = Symbol('DeliveryQueue');
export const DELIVERY_INTAKE = Symbol('DeliveryIntake');
export const ACCOUNT_EVENTS = Symbol('AccountEvents');
export const WEBHOOK_ENDPOINTS = Symbol('WebhookEndpoints');
export const RETENTION = Symbol('Retention');
export const JOB_ERASURES = Symbol('JobErasures');
export const SIGNING_SECRETS = Symbol('SigningSecrets');
export const EGRESS = Symbol('Egress');
