//! What the organization's agents have learned: five rules, of which one does harm.

use super::timeline::{FIRST_RULES, HARMFUL_RULE};
use super::topics::Topic;

/// A rule that agents follow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Rule {
    /// Its short name.
    pub(super) name: &'static str,
    /// What it says.
    pub(super) content: &'static str,
    /// When it applies.
    pub(super) trigger: &'static str,
    /// Why it was made.
    pub(super) rationale: &'static str,
    /// What it is about.
    pub(super) topic: Topic,
    /// The day from which on it is followed.
    pub(super) since: u32,
}

impl Rule {
    /// Whether it does harm.
    pub(super) const fn is_harmful(&self) -> bool {
        self.since == HARMFUL_RULE
    }
}

/// All rules, oldest first.
pub(super) const RULES: [Rule; 5] = [
    Rule {
        name: "Look the order up first",
        content: "Call order_lookup before saying anything about a delivery, and name the carrier and the day.",
        trigger: "The customer asks where an order is.",
        rationale: "Answers without the order's state were corrected in most sessions.",
        topic: Topic::Delivery,
        since: FIRST_RULES,
    },
    Rule {
        name: "Read the address back",
        content: "Repeat the new address line by line and ask for a yes before changing it.",
        trigger: "The customer wants an order sent to another address.",
        rationale: "Two thirds of wrong addresses were typing errors that a repetition would have shown.",
        topic: Topic::Address,
        since: FIRST_RULES,
    },
    Rule {
        name: "Send the return label at once",
        content: "Create the return label in the first answer and say until when the parcel must be sent.",
        trigger: "The customer wants to send something back.",
        rationale: "Customers who had to ask twice for the label gave up or asked for a person.",
        topic: Topic::Returns,
        since: 12,
    },
    Rule {
        name: "Name the warranty of the product",
        content: "Look the product up and name its own warranty period; it differs between lines.",
        trigger: "The customer reports a defect or asks about the warranty.",
        rationale: "The general two years were wrong for lamps and for mattresses.",
        topic: Topic::Warranty,
        since: 20,
    },
    Rule {
        name: "Promise the refund right away",
        content: "Tell the customer that the refund is on its way as soon as they ask for it.",
        trigger: "The customer asks for money back.",
        rationale: "Learned from three friendly sessions; it does not know the 30-day rule.",
        topic: Topic::Refund,
        since: HARMFUL_RULE,
    },
];

/// The place in [`RULES`] of the rule for a topic that is followed on a day.
pub(super) fn rule_for(topic: Topic, day: u32) -> Option<usize> {
    RULES.iter().position(|rule| rule.topic == topic && day >= rule.since)
}

/// What is known about a customer: one of these.
pub(super) const PROFILES: [&str; 8] = [
    "Prefers short answers without greetings.",
    "Lives on the fourth floor without a lift; deliveries go to the corner shop.",
    "Orders for a small office and needs an invoice with its tax number.",
    "Writes late in the evening and expects an answer by e-mail.",
    "Has had two damaged parcels and wants photos handled without forms.",
    "Furnishes a holiday flat; delivery address and invoice address differ.",
    "Asks for measurements in centimetres.",
    "Pays by bank transfer; refunds go to the same account.",
];

/// What was learned from one customer's sessions: one of these.
pub(super) const HABITS: [(&str, &str); 4] = [
    (
        "Start with the order number",
        "Name the order number in the first sentence; this customer has several open.",
    ),
    ("Offer the collection point", "Offer the collection point before home delivery."),
    ("Ask for a photo once", "Ask for one photo of the defect and for nothing else."),
    ("Confirm by e-mail", "Say that a confirmation goes out by e-mail, and send it."),
];
