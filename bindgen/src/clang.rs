//! libclang, loaded when it is needed: the few functions of it that read a header, behind types that cannot outlive
//! what they are of.
//!
//! The layout of libclang's structures and the numbers of its kinds are fixed: it promises that programs which were
//! made with an older release go on to work.

use std::ffi::{CStr, CString, c_char, c_int, c_longlong, c_uint, c_ulong, c_ulonglong, c_void};
use std::marker::PhantomData;
use std::path::{Path, PathBuf};
use std::ptr::null_mut;
use std::sync::OnceLock;

#[repr(C)]
#[derive(Clone, Copy)]
struct CXString(*const c_void, c_uint);

#[repr(C)]
#[derive(Clone, Copy)]
struct CXCursor(c_int, c_int, [*const c_void; 3]);

#[repr(C)]
#[derive(Clone, Copy)]
struct CXType(c_int, [*mut c_void; 2]);

#[repr(C)]
#[derive(Clone, Copy)]
struct CXSourceLocation([*const c_void; 2], c_uint);

#[repr(C)]
#[derive(Clone, Copy)]
struct CXSourceRange([*const c_void; 2], c_uint, c_uint);

#[repr(C)]
#[derive(Clone, Copy)]
struct CXToken([c_uint; 4], *mut c_void);

#[repr(C)]
struct CXUnsavedFile(*const c_char, *const c_char, c_ulong);

type Pointer = *mut c_void;
type Visitor = extern "C" fn(CXCursor, CXCursor, Pointer) -> c_int;

macro_rules! functions {
    ($($name:ident($($ty:ty),*) $(-> $result:ty)?;)*) => {
        #[allow(non_snake_case)]
        struct Api { $($name: unsafe extern "C" fn($($ty),*) $(-> $result)?,)* }

        impl Api {
            /// The functions of a library that is loaded; the error is the name of one that it has not.
            fn of(handle: Pointer) -> Result<Api, &'static str> {
                Ok(Api { $($name: {
                    let name = concat!("clang_", stringify!($name), "\0");
                    // SAFETY: a call of the C library with a text that ends.
                    let address = unsafe { libc::dlsym(handle, name.as_ptr().cast()) };
                    if address.is_null() {
                        return Err(stringify!($name));
                    }
                    // SAFETY: libclang's function of this name has this type.
                    unsafe { std::mem::transmute::<Pointer, unsafe extern "C" fn($($ty),*) $(-> $result)?>(address) }
                },)* })
            }
        }
    };
}

functions! {
    createIndex(c_int, c_int) -> Pointer;
    disposeIndex(Pointer);
    parseTranslationUnit2(Pointer, *const c_char, *const *const c_char, c_int, *mut CXUnsavedFile, c_uint, c_uint, *mut Pointer) -> c_int;
    disposeTranslationUnit(Pointer);
    getNumDiagnostics(Pointer) -> c_uint;
    getDiagnostic(Pointer, c_uint) -> Pointer;
    getDiagnosticSeverity(Pointer) -> c_int;
    formatDiagnostic(Pointer, c_uint) -> CXString;
    disposeDiagnostic(Pointer);
    getTranslationUnitCursor(Pointer) -> CXCursor;
    visitChildren(CXCursor, Visitor, Pointer) -> c_uint;
    getCString(CXString) -> *const c_char;
    disposeString(CXString);
    getCursorSpelling(CXCursor) -> CXString;
    getCursorUSR(CXCursor) -> CXString;
    getCursorType(CXCursor) -> CXType;
    getCursorLocation(CXCursor) -> CXSourceLocation;
    getCursorExtent(CXCursor) -> CXSourceRange;
    getCursorDefinition(CXCursor) -> CXCursor;
    getExpansionLocation(CXSourceLocation, *mut Pointer, *mut c_uint, *mut c_uint, *mut c_uint);
    getFileName(Pointer) -> CXString;
    getIncludedFile(CXCursor) -> Pointer;
    getClangVersion() -> CXString;
    getCanonicalType(CXType) -> CXType;
    getTypeDeclaration(CXType) -> CXCursor;
    getTypeSpelling(CXType) -> CXString;
    getPointeeType(CXType) -> CXType;
    getArrayElementType(CXType) -> CXType;
    getResultType(CXType) -> CXType;
    getNumArgTypes(CXType) -> c_int;
    getArgType(CXType, c_uint) -> CXType;
    isFunctionTypeVariadic(CXType) -> c_uint;
    isConstQualifiedType(CXType) -> c_uint;
    Type_getSizeOf(CXType) -> c_longlong;
    Type_getAlignOf(CXType) -> c_longlong;
    Type_getOffsetOf(CXType, *const c_char) -> c_longlong;
    Cursor_getNumArguments(CXCursor) -> c_int;
    Cursor_getArgument(CXCursor, c_uint) -> CXCursor;
    Cursor_isBitField(CXCursor) -> c_uint;
    Cursor_isAnonymous(CXCursor) -> c_uint;
    Cursor_isFunctionInlined(CXCursor) -> c_uint;
    Cursor_getStorageClass(CXCursor) -> c_int;
    getCursorTLSKind(CXCursor) -> c_int;
    Cursor_isMacroFunctionLike(CXCursor) -> c_uint;
    Cursor_isMacroBuiltin(CXCursor) -> c_uint;
    Cursor_getRawCommentText(CXCursor) -> CXString;
    getTypedefDeclUnderlyingType(CXCursor) -> CXType;
    getEnumDeclIntegerType(CXCursor) -> CXType;
    getEnumConstantDeclValue(CXCursor) -> c_longlong;
    Cursor_Evaluate(CXCursor) -> Pointer;
    EvalResult_getKind(Pointer) -> c_int;
    EvalResult_getAsLongLong(Pointer) -> c_longlong;
    EvalResult_isUnsignedInt(Pointer) -> c_uint;
    EvalResult_getAsUnsigned(Pointer) -> c_ulonglong;
    EvalResult_getAsDouble(Pointer) -> f64;
    EvalResult_getAsStr(Pointer) -> *const c_char;
    EvalResult_dispose(Pointer);
    tokenize(Pointer, CXSourceRange, *mut *mut CXToken, *mut c_uint);
    getTokenSpelling(Pointer, CXToken) -> CXString;
    disposeTokens(Pointer, *mut CXToken, c_uint);
}

/// Releases of LLVM whose libclang is looked for by its number, newest first.
const RELEASES: std::ops::RangeInclusive<u32> = 11..=30;

/// Where libclang may be. That of a folder `lib` of LLVM's own comes first: it finds its headers beside it.
fn places() -> Vec<String> {
    let said = std::env::var("LIBCLANG_PATH").ok().filter(|path| !path.is_empty());
    if let Some(path) = said {
        let inside = Path::new(&path).join("libclang.so");
        return vec![if Path::new(&path).is_dir() { inside.display().to_string() } else { path }];
    }
    let mut places = Vec::new();
    for release in RELEASES.rev() {
        places.push(format!("/usr/lib/llvm-{release}/lib/libclang.so.1"));
        places.push(format!("/usr/lib/llvm-{release}/lib/libclang-{release}.so.1"));
    }
    places.extend(["libclang.so", "libclang.so.1"].map(str::to_string));
    places.extend(RELEASES.rev().map(|release| format!("libclang-{release}.so.1")));
    places
}

fn load() -> Result<Api, String> {
    for place in places() {
        let Ok(name) = CString::new(place.as_str()) else { continue };
        // SAFETY: a call of the C library; libclang's constructors may run in any process.
        let handle = unsafe { libc::dlopen(name.as_ptr(), libc::RTLD_NOW | libc::RTLD_LOCAL) };
        if !handle.is_null() {
            return Api::of(handle).map_err(|name| format!("{place} is too old: it has no `clang_{name}`"));
        }
    }
    Err("libclang is needed to read a header, and was not found: install it (on Debian the package libclang1-14, or of \
         another release), or say where it is in the variable LIBCLANG_PATH"
        .to_string())
}

fn loaded() -> Result<&'static Api, String> {
    static API: OnceLock<Result<Api, String>> = OnceLock::new();
    API.get_or_init(load).as_ref().map_err(Clone::clone)
}

/// For what is made of a unit: then it is loaded.
fn api() -> &'static Api {
    loaded().expect("libclang is loaded where there is a unit")
}

/// The number of the release that is loaded, of LLVM: 14.
pub fn release() -> Option<u32> {
    // SAFETY: a call of libclang.
    let text = owned(unsafe { (loaded().ok()?.getClangVersion)() });
    text.split_once("version ")?.1.split('.').next()?.parse().ok()
}

fn owned(text: CXString) -> String {
    // SAFETY: libclang's texts end, and live until they are disposed of.
    unsafe {
        let at = (api().getCString)(text);
        let owned = if at.is_null() { String::new() } else { CStr::from_ptr(at).to_string_lossy().into_owned() };
        (api().disposeString)(text);
        owned
    }
}

/// What libclang calls the text that is given to it.
pub const TEXT: &str = "leat-bindgen.c";

/// A header that is read, with all that it includes.
pub struct Unit {
    index: Pointer,
    unit: Pointer,
}

impl Drop for Unit {
    fn drop(&mut self) {
        // SAFETY: both are ours, and cursors cannot outlive this.
        unsafe {
            (api().disposeTranslationUnit)(self.unit);
            (api().disposeIndex)(self.index);
        }
    }
}

impl Unit {
    /// Reads a text of C, with options of the compiler. `macros`: they are among the cursors, and each `#include`.
    pub fn parse(text: &str, options: &[String], macros: bool) -> Result<Unit, String> {
        let api = loaded()?;
        let name = CString::new(TEXT).expect("no zero byte");
        let options: Vec<CString> = options.iter().filter_map(|word| CString::new(word.as_str()).ok()).collect();
        let words: Vec<*const c_char> = options.iter().map(|word| word.as_ptr()).collect();
        let mut file = CXUnsavedFile(name.as_ptr(), text.as_ptr().cast(), text.len() as c_ulong);
        let (detailed, skip_bodies) = (1, 64);
        let how = if macros { detailed | skip_bodies } else { 0 };
        // SAFETY: calls of libclang; the texts live beyond them.
        unsafe {
            let index = (api.createIndex)(0, 0);
            let mut unit = null_mut();
            let error = (api.parseTranslationUnit2)(
                index,
                name.as_ptr(),
                words.as_ptr(),
                words.len() as c_int,
                &mut file,
                1,
                how,
                &mut unit,
            );
            if error != 0 || unit.is_null() {
                (api.disposeIndex)(index);
                return Err(format!("libclang cannot read the header (its error {error})"));
            }
            Ok(Unit { index, unit })
        }
    }

    /// Errors of C in it.
    pub fn errors(&self) -> Vec<String> {
        let (error, with_place) = (3, 1 | 2);
        // SAFETY: calls of libclang with numbers below that of the messages.
        unsafe {
            (0..(api().getNumDiagnostics)(self.unit))
                .filter_map(|i| {
                    let message = (api().getDiagnostic)(self.unit, i);
                    let is_error = (api().getDiagnosticSeverity)(message) >= error;
                    let text = is_error.then(|| owned((api().formatDiagnostic)(message, with_place)));
                    (api().disposeDiagnostic)(message);
                    text
                })
                .collect()
        }
    }

    /// Declarations, and macros and what is included if they were asked for, in order.
    pub fn cursors(&self) -> Vec<Cursor<'_>> {
        // SAFETY: a call of libclang.
        Cursor::new(unsafe { (api().getTranslationUnitCursor)(self.unit) }).children()
    }

    /// The words of a cursor's text.
    pub fn tokens(&self, cursor: Cursor<'_>) -> Vec<String> {
        let (mut tokens, mut count) = (null_mut(), 0);
        // SAFETY: calls of libclang; it has made so many tokens.
        unsafe {
            (api().tokenize)(self.unit, (api().getCursorExtent)(cursor.raw), &mut tokens, &mut count);
            if tokens.is_null() {
                return Vec::new();
            }
            let texts =
                (0..count as usize).map(|i| owned((api().getTokenSpelling)(self.unit, *tokens.add(i)))).collect();
            (api().disposeTokens)(self.unit, tokens, count);
            texts
        }
    }
}

/// What a cursor is; the numbers are libclang's.
pub mod kind {
    pub const STRUCT: i32 = 2;
    pub const UNION: i32 = 3;
    pub const ENUM: i32 = 5;
    pub const FIELD: i32 = 6;
    pub const ENUM_CONSTANT: i32 = 7;
    pub const FUNCTION: i32 = 8;
    pub const VARIABLE: i32 = 9;
    pub const TYPEDEF: i32 = 20;
    pub const MACRO: i32 = 501;
    pub const EXPANSION: i32 = 502;
    pub const INCLUDE: i32 = 503;
}

/// Storage classes; the numbers are libclang's.
pub mod storage {
    pub const EXTERN: i32 = 2;
    pub const STATIC: i32 = 3;
}

/// A declaration, or a macro.
#[derive(Clone, Copy)]
pub struct Cursor<'a> {
    raw: CXCursor,
    of: PhantomData<&'a Unit>,
}

/// The value of a constant.
#[derive(Clone, PartialEq, Debug)]
pub enum Value {
    Int(i64),
    Word(u64),
    Real(f64),
    Text(Vec<u8>),
}

extern "C" fn keep(cursor: CXCursor, _parent: CXCursor, list: Pointer) -> c_int {
    // SAFETY: the list of `children`, which waits.
    unsafe { (*(list as *mut Vec<CXCursor>)).push(cursor) };
    1
}

impl<'a> Cursor<'a> {
    fn new(raw: CXCursor) -> Cursor<'a> {
        Cursor { raw, of: PhantomData }
    }

    pub fn kind(self) -> i32 {
        self.raw.0
    }

    pub fn children(self) -> Vec<Cursor<'a>> {
        let mut list: Vec<CXCursor> = Vec::new();
        // SAFETY: `keep` has the list for as long as this call.
        unsafe { (api().visitChildren)(self.raw, keep, (&raw mut list).cast()) };
        list.into_iter().map(Cursor::new).collect()
    }

    pub fn name(self) -> String {
        // SAFETY: a call of libclang.
        owned(unsafe { (api().getCursorSpelling)(self.raw) })
    }

    /// A text that tells what is declared from all else that is.
    pub fn identity(self) -> String {
        // SAFETY: a call of libclang.
        owned(unsafe { (api().getCursorUSR)(self.raw) })
    }

    pub fn ty(self) -> Type<'a> {
        // SAFETY: a call of libclang.
        Type::new(unsafe { (api().getCursorType)(self.raw) })
    }

    /// Where the body is, if it is anywhere.
    pub fn definition(self) -> Option<Cursor<'a>> {
        // SAFETY: a call of libclang.
        let found = Cursor::new(unsafe { (api().getCursorDefinition)(self.raw) });
        (found.kind() == self.kind()).then_some(found)
    }

    /// The file that it stands in.
    pub fn file(self) -> Option<PathBuf> {
        let (mut file, mut line, mut column, mut offset) = (null_mut(), 0, 0, 0);
        // SAFETY: calls of libclang.
        unsafe {
            let place = (api().getCursorLocation)(self.raw);
            (api().getExpansionLocation)(place, &mut file, &mut line, &mut column, &mut offset);
            (!file.is_null()).then(|| PathBuf::from(owned((api().getFileName)(file))))
        }
    }

    /// The file that an `#include` names.
    pub fn included(self) -> Option<PathBuf> {
        // SAFETY: calls of libclang.
        unsafe {
            let file = (api().getIncludedFile)(self.raw);
            (!file.is_null()).then(|| PathBuf::from(owned((api().getFileName)(file))))
        }
    }

    pub fn parameters(self) -> Vec<Cursor<'a>> {
        // SAFETY: calls of libclang with numbers below that of the parameters.
        unsafe {
            let count = (api().Cursor_getNumArguments)(self.raw).max(0) as c_uint;
            (0..count).map(|i| Cursor::new((api().Cursor_getArgument)(self.raw, i))).collect()
        }
    }

    pub fn is_bit_field(self) -> bool {
        // SAFETY: a call of libclang.
        unsafe { (api().Cursor_isBitField)(self.raw) != 0 }
    }

    pub fn is_anonymous(self) -> bool {
        // Newer releases spell out that it has no name.
        let name = self.name();
        // SAFETY: a call of libclang.
        name.is_empty() || name.contains('(') || unsafe { (api().Cursor_isAnonymous)(self.raw) != 0 }
    }

    pub fn is_inline(self) -> bool {
        // SAFETY: a call of libclang.
        unsafe { (api().Cursor_isFunctionInlined)(self.raw) != 0 }
    }

    pub fn storage(self) -> i32 {
        // SAFETY: a call of libclang.
        unsafe { (api().Cursor_getStorageClass)(self.raw) }
    }

    /// Has each thread a variable of its own?
    pub fn is_of_thread(self) -> bool {
        // SAFETY: a call of libclang.
        unsafe { (api().getCursorTLSKind)(self.raw) != 0 }
    }

    pub fn has_parameters(self) -> bool {
        // SAFETY: a call of libclang.
        unsafe { (api().Cursor_isMacroFunctionLike)(self.raw) != 0 }
    }

    pub fn is_builtin(self) -> bool {
        // SAFETY: a call of libclang.
        unsafe { (api().Cursor_isMacroBuiltin)(self.raw) != 0 }
    }

    /// The comment that documents it, with its signs.
    pub fn comment(self) -> String {
        // SAFETY: a call of libclang.
        owned(unsafe { (api().Cursor_getRawCommentText)(self.raw) })
    }

    /// What a `typedef` stands for.
    pub fn underlying(self) -> Type<'a> {
        // SAFETY: a call of libclang.
        Type::new(unsafe { (api().getTypedefDeclUnderlyingType)(self.raw) })
    }

    pub fn enum_type(self) -> Type<'a> {
        // SAFETY: a call of libclang.
        Type::new(unsafe { (api().getEnumDeclIntegerType)(self.raw) })
    }

    pub fn enum_value(self) -> i64 {
        // SAFETY: a call of libclang.
        unsafe { (api().getEnumConstantDeclValue)(self.raw) }
    }

    /// The value of a variable's initializer.
    pub fn value(self) -> Option<Value> {
        let (int, real, text) = (1, 2, 4);
        // SAFETY: calls of libclang with its own result, which is disposed of last.
        unsafe {
            let result = (api().Cursor_Evaluate)(self.raw);
            if result.is_null() {
                return None;
            }
            let value = match (api().EvalResult_getKind)(result) {
                kind if kind == int && (api().EvalResult_isUnsignedInt)(result) != 0 => {
                    Some(Value::Word((api().EvalResult_getAsUnsigned)(result)))
                }
                kind if kind == int => Some(Value::Int((api().EvalResult_getAsLongLong)(result))),
                kind if kind == real => Some(Value::Real((api().EvalResult_getAsDouble)(result))),
                kind if kind == text => {
                    let at = (api().EvalResult_getAsStr)(result);
                    (!at.is_null()).then(|| Value::Text(CStr::from_ptr(at).to_bytes().to_vec()))
                }
                _ => None,
            };
            (api().EvalResult_dispose)(result);
            value
        }
    }
}

/// Kinds of types; the numbers are libclang's.
pub mod types {
    pub const VOID: i32 = 2;
    pub const BOOL: i32 = 3;
    pub const CHAR_U: i32 = 4;
    pub const UCHAR: i32 = 5;
    pub const CHAR16: i32 = 6;
    pub const CHAR32: i32 = 7;
    pub const USHORT: i32 = 8;
    pub const UINT: i32 = 9;
    pub const ULONG: i32 = 10;
    pub const ULONGLONG: i32 = 11;
    pub const CHAR_S: i32 = 13;
    pub const SCHAR: i32 = 14;
    pub const WCHAR: i32 = 15;
    pub const SHORT: i32 = 16;
    pub const INT: i32 = 17;
    pub const LONG: i32 = 18;
    pub const LONGLONG: i32 = 19;
    pub const FLOAT: i32 = 21;
    pub const DOUBLE: i32 = 22;
    pub const LONGDOUBLE: i32 = 23;
    pub const POINTER: i32 = 101;
    pub const RECORD: i32 = 105;
    pub const ENUM: i32 = 106;
    pub const FUNCTION_WITHOUT_TYPES: i32 = 110;
    pub const FUNCTION: i32 = 111;
    pub const ARRAY: i32 = 112;
    pub const OPEN_ARRAY: i32 = 114;
}

/// A type of C.
#[derive(Clone, Copy)]
pub struct Type<'a> {
    raw: CXType,
    of: PhantomData<&'a Unit>,
}

impl<'a> Type<'a> {
    fn new(raw: CXType) -> Type<'a> {
        Type { raw, of: PhantomData }
    }

    pub fn kind(self) -> i32 {
        self.raw.0
    }

    /// Without names that stand for others.
    pub fn canonical(self) -> Type<'a> {
        // SAFETY: a call of libclang.
        Type::new(unsafe { (api().getCanonicalType)(self.raw) })
    }

    pub fn declaration(self) -> Cursor<'a> {
        // SAFETY: a call of libclang.
        Cursor::new(unsafe { (api().getTypeDeclaration)(self.raw) })
    }

    pub fn text(self) -> String {
        // SAFETY: a call of libclang.
        owned(unsafe { (api().getTypeSpelling)(self.raw) })
    }

    pub fn pointee(self) -> Type<'a> {
        // SAFETY: a call of libclang.
        Type::new(unsafe { (api().getPointeeType)(self.raw) })
    }

    pub fn element(self) -> Type<'a> {
        // SAFETY: a call of libclang.
        Type::new(unsafe { (api().getArrayElementType)(self.raw) })
    }

    pub fn result(self) -> Type<'a> {
        // SAFETY: a call of libclang.
        Type::new(unsafe { (api().getResultType)(self.raw) })
    }

    pub fn parameters(self) -> Vec<Type<'a>> {
        // SAFETY: calls of libclang with numbers below that of the parameters.
        unsafe {
            let count = (api().getNumArgTypes)(self.raw).max(0) as c_uint;
            (0..count).map(|i| Type::new((api().getArgType)(self.raw, i))).collect()
        }
    }

    pub fn is_variadic(self) -> bool {
        // SAFETY: a call of libclang.
        unsafe { (api().isFunctionTypeVariadic)(self.raw) != 0 }
    }

    pub fn is_const(self) -> bool {
        // SAFETY: a call of libclang.
        unsafe { (api().isConstQualifiedType)(self.raw) != 0 }
    }

    /// In bytes; None of a type that is not complete.
    pub fn size(self) -> Option<u64> {
        // SAFETY: a call of libclang.
        u64::try_from(unsafe { (api().Type_getSizeOf)(self.raw) }).ok()
    }

    /// In bytes; None of a type that is not complete.
    pub fn alignment(self) -> Option<u64> {
        // SAFETY: a call of libclang.
        u64::try_from(unsafe { (api().Type_getAlignOf)(self.raw) }).ok()
    }

    /// Where a field begins, in bits; also one of a part that has no name.
    pub fn offset_of(self, field: &str) -> Option<u64> {
        let field = CString::new(field).ok()?;
        // SAFETY: a call of libclang with a text that ends.
        u64::try_from(unsafe { (api().Type_getOffsetOf)(self.raw, field.as_ptr()) }).ok()
    }
}
