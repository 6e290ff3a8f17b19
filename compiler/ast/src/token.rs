//! The kinds of tokens, and how each is called in a message.

use leat_base::Span;

/// A token: 16 bytes. `value` is a symbol for identifiers and type variables, an index into the
/// lexer's tables for strings and long identifiers, and nothing for the rest.
#[derive(Clone, Copy, Debug)]
pub struct Token {
    pub kind: T,
    pub lo: u32,
    pub hi: u32,
    pub value: u32,
}

macro_rules! tokens {
    (words { $($word:ident $word_text:literal,)* } signs { $($sign:ident $sign_text:literal,)* } others { $($other:ident $other_text:literal,)* }) => {
        /// The kind of a token.
        #[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
        #[repr(u8)]
        pub enum T { $($word,)* $($sign,)* $($other,)* }

        impl T {
            /// The reserved words, by the alphabet.
            pub const WORDS: &[&str] = &[$($word_text),*];

            /// The reserved word with this spelling.
            #[inline]
            pub fn word(text: &str) -> Option<T> {
                match text { $($word_text => Some(T::$word),)* _ => None }
            }

            /// The reserved symbol with this spelling (only those made of symbolic characters).
            #[inline]
            pub fn sign(text: &str) -> Option<T> {
                match text {
                    ":" => Some(T::Colon), ":>" => Some(T::ColonGt), "|" => Some(T::Bar), "=" => Some(T::Equals),
                    "=>" => Some(T::DArrow), "->" => Some(T::Arrow), "#" => Some(T::Hash), _ => None,
                }
            }

            /// How the kind is called in a message: `` `end` ``, `an identifier`.
            pub fn describe(self) -> &'static str {
                match self {
                    $(T::$word => concat!("`", $word_text, "`"),)*
                    $(T::$sign => concat!("`", $sign_text, "`"),)*
                    $(T::$other => $other_text,)*
                }
            }

            /// Is it a reserved word?
            pub fn is_word(self) -> bool {
                matches!(self, $(T::$word)|*)
            }
        }
    };
}

tokens! {
    words {
        Abstype "abstype", And "and", Andalso "andalso", As "as", Case "case", Datatype "datatype", Do "do",
        Else "else", End "end", Eqtype "eqtype", Exception "exception", Fn "fn", Fun "fun", Functor "functor",
        Handle "handle", If "if", In "in", Include "include", Infix "infix", Infixr "infixr", Let "let",
        Local "local", Nonfix "nonfix", Of "of", Op "op", Open "open", Orelse "orelse", Raise "raise", Rec "rec",
        Sharing "sharing", Sig "sig", Signature "signature", Struct "struct", Structure "structure", Then "then",
        Type "type", Val "val", Where "where", While "while", With "with", Withtype "withtype",
    }
    signs {
        LParen "(", RParen ")", LBrack "[", RBrack "]", LBrace "{", RBrace "}", Comma ",", Semi ";", Dots "...",
        Wild "_", Colon ":", ColonGt ":>", Bar "|", Equals "=", DArrow "=>", Arrow "->", Hash "#", Prim "_prim",
    }
    others {
        Alpha "an identifier", Symbolic "a symbolic identifier", Long "a long identifier", TyVar "a type variable",
        Int "an integer constant", Word "a word constant", Real "a real constant", String "a string constant",
        Char "a character constant", Eof "the end of the file",
    }
}

impl T {
    /// Does a core or module declaration begin with it?
    pub fn starts_dec(self) -> bool {
        use T::*;
        matches!(
            self,
            Abstype
                | Datatype
                | Exception
                | Fun
                | Infix
                | Infixr
                | Local
                | Nonfix
                | Open
                | Type
                | Val
                | Structure
                | Signature
                | Functor
        )
    }

    /// Does a specification begin with it?
    pub fn starts_spec(self) -> bool {
        use T::*;
        matches!(
            self,
            Val | Type | Eqtype | Datatype | Exception | Structure | Include | Sharing | Infix | Infixr | Nonfix
        )
    }

    /// Does it begin an atomic expression?
    pub fn starts_atexp(self) -> bool {
        use T::*;
        matches!(
            self,
            Op | LParen
                | LBrack
                | LBrace
                | Hash
                | Let
                | Prim
                | Alpha
                | Symbolic
                | Long
                | Int
                | Word
                | Real
                | String
                | Char
        )
    }

    /// Does it begin an expression that reaches as far to the right as it can?
    pub fn starts_open_exp(self) -> bool {
        matches!(self, T::If | T::Case | T::Fn | T::While | T::Raise)
    }

    /// Does it begin an atomic pattern?
    pub fn starts_atpat(self) -> bool {
        use T::*;
        matches!(
            self,
            Op | LParen | LBrack | LBrace | Hash | Wild | Alpha | Symbolic | Long | Int | Word | Real | String | Char
        )
    }
}

impl Token {
    /// Its place.
    pub fn span(self, file: leat_base::FileId) -> Span {
        Span::new(file, self.lo, self.hi)
    }
}
