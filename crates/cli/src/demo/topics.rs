//! What people write to a shop for home goods about, and what they are answered.

/// What a session is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Topic {
    /// Where is my order?
    Delivery,
    /// I want to send something back.
    Returns,
    /// I want my money back.
    Refund,
    /// Send it to another address.
    Address,
    /// It is broken.
    Warranty,
    /// I need an invoice.
    Invoice,
    /// Does it fit?
    Product,
}

/// How often each topic comes up.
pub(super) const TOPICS: [(u32, Topic); 7] = [
    (26, Topic::Delivery),
    (16, Topic::Returns),
    (13, Topic::Refund),
    (11, Topic::Address),
    (13, Topic::Warranty),
    (9, Topic::Invoice),
    (12, Topic::Product),
];

/// The words of a topic. `{order}` and `{product}` stand for what the session is about.
pub(super) struct Words {
    /// How a customer begins.
    pub(super) openings: [&'static str; 3],
    /// An answer that helps.
    pub(super) good: [&'static str; 2],
    /// An answer that does not.
    pub(super) poor: [&'static str; 2],
    /// How a customer corrects the agent.
    pub(super) correction: &'static str,
    /// The tool that belongs to it.
    pub(super) tool: &'static str,
}

impl Topic {
    /// How much more often than usual it is settled.
    pub(super) const fn ease(self) -> f64 {
        match self {
            Self::Delivery => 0.02,
            Self::Returns | Self::Address => 0.0,
            Self::Refund => -0.03,
            Self::Warranty => -0.05,
            Self::Invoice => 0.06,
            Self::Product => 0.03,
        }
    }

    /// Its words.
    pub(super) const fn words(self) -> Words {
        match self {
            Self::Delivery => DELIVERY,
            Self::Returns => RETURNS,
            Self::Refund => REFUND,
            Self::Address => ADDRESS,
            Self::Warranty => WARRANTY,
            Self::Invoice => INVOICE,
            Self::Product => PRODUCT,
        }
    }
}

const DELIVERY: Words = Words {
    openings: [
        "Where is my order {order}? The {product} should have been here on Monday.",
        "Hi, order {order} still shows as packed. When does the {product} come?",
        "The tracking link for {order} leads nowhere. Can you see the parcel?",
    ],
    good: [
        "Order {order} left our warehouse yesterday with the regular carrier. The {product} is due tomorrow before noon.",
        "I looked {order} up: the {product} waits at the depot near you and goes out on today's tour.",
    ],
    poor: [
        "Deliveries usually take three to five working days.",
        "Please follow the tracking link in your confirmation for order {order}.",
    ],
    correction: "That is not what I asked. I know the usual times, I want to know where {order} is.",
    tool: "order_lookup",
};

const RETURNS: Words = Words {
    openings: [
        "I would like to send the {product} from order {order} back.",
        "How do I return the {product}? It is unopened, order {order}.",
        "The {product} does not fit our room. Can it go back? Order {order}.",
    ],
    good: [
        "Of course. I made a return label for the {product}; it is in your inbox. Please send the parcel within 14 days.",
        "Done: the label for order {order} is on its way to you by e-mail, and the courier can collect it on Thursday.",
    ],
    poor: [
        "Returns are possible within 30 days. Our return policy is on the website.",
        "You can return the {product} in any of our stores.",
    ],
    correction: "I said that I need a label for {order}, there is no store near me.",
    tool: "return_label",
};

const REFUND: Words = Words {
    openings: [
        "I want my money back for the {product}, order {order}.",
        "Order {order} was cancelled two weeks ago and I see no refund.",
        "Please refund the {product}. It was cheaper elsewhere the next day.",
    ],
    good: [
        "I checked order {order}: it is within the 30 days. The refund for the {product} goes to your card within five days.",
        "The refund for {order} was booked on Friday; your bank shows it within two working days.",
    ],
    poor: [
        "No problem, the refund for the {product} is on its way.",
        "You will have the money for order {order} today.",
    ],
    correction: "That is wrong, the order page says that the refund for {order} was declined.",
    tool: "refund_check",
};

const ADDRESS: Words = Words {
    openings: [
        "Please send order {order} to my work address instead.",
        "I typed the wrong house number for {order}. Can you change it?",
        "We are moving: can the {product} go to the new flat?",
    ],
    good: [
        "I changed it after your yes: order {order} now goes to the new address, and the delivery day stays the same.",
        "The {product} is redirected. I repeated the address in the confirmation that you have just received.",
    ],
    poor: [
        "Addresses can be changed in your account under settings.",
        "I have noted the new address for your next order.",
    ],
    correction: "No, I meant this order, {order}, not the next one.",
    tool: "address_change",
};

const WARRANTY: Words = Words {
    openings: [
        "The {product} broke after seven months. What can you do? Order {order}.",
        "One leg of the {product} is loose. Is that under warranty?",
        "The {product} stopped working last week, order {order}.",
    ],
    good: [
        "The {product} has a warranty of three years. I ordered the spare part for you; it comes within a week.",
        "That is covered. A new {product} is on its way under order {order}, and the courier takes the old one.",
    ],
    poor: [
        "Our warranty is two years. Please send us a description of the defect.",
        "Please contact the manufacturer of the {product}.",
    ],
    correction: "I said it is your own brand, there is no other manufacturer. Order {order}.",
    tool: "product_lookup",
};

const INVOICE: Words = Words {
    openings: [
        "I need the invoice for {order} with our tax number.",
        "The invoice for the {product} has the wrong company name.",
        "Can you send the invoice of {order} again as a PDF?",
    ],
    good: [
        "The corrected invoice for {order} is in your inbox.",
        "I sent the invoice for the {product} again, with the tax number from your profile.",
    ],
    poor: ["Invoices are in your account.", "I sent you the delivery note for order {order}."],
    correction: "That is not an invoice. I need the invoice for {order}.",
    tool: "invoice_search",
};

const PRODUCT: Words = Words {
    openings: [
        "Does the {product} fit through a door of 78 cm?",
        "Is the {product} also available in oak?",
        "How heavy is the {product}, and does it come assembled?",
    ],
    good: [
        "Yes: the {product} comes in two parcels, and the wider one measures 74 cm.",
        "The {product} comes in oak and in ash. It weighs 18 kg and takes about twenty minutes to assemble.",
    ],
    poor: ["All measurements are on the product page.", "The {product} is one of our most popular items."],
    correction: "That is not an answer. I looked at the page of the {product} and it does not say.",
    tool: "product_lookup",
};

/// What orders are about.
pub(super) const PRODUCTS: [&str; 10] = [
    "bookcase",
    "desk lamp",
    "oak table",
    "mattress",
    "garden bench",
    "wardrobe",
    "coffee grinder",
    "wool carpet",
    "kitchen stool",
    "mirror",
];

/// How a customer ends a session that went well.
pub(super) const THANKS: [&str; 4] = [
    "Perfect, thank you!",
    "Thanks, that works for me.",
    "Great, thank you for the quick answer.",
    "Thank you, that is all I needed.",
];

/// How an agent gives up.
pub(super) const GIVES_UP: [&str; 2] = [
    "I am sorry, I am not able to open order {order} at the moment.",
    "Something went wrong while I looked at {order}. Please try again later.",
];

/// How an agent hands a session to a person.
pub(super) const HANDS_OVER: [&str; 2] = [
    "I am not able to settle this here. I will connect you with a colleague who looks at {order} today.",
    "I am unable to decide that about the {product}, so I will transfer you to our team.",
];
